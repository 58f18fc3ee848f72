// What the compiler knows of `ctx.session.shared`: values are JSON, and what comes back may be anything of that.
import { MCPServer } from '../../src/exports/index.ts'
import type { SharedValues } from '../../src/exports/server.ts'
import type { JSONValue } from '../../src/types/protocol/json.ts'
import { holds, type Same } from './assert.ts'

const server = new MCPServer('values')

server.tool('cart', async (_, ctx) => {
  const { shared } = ctx.session
  const cart = await shared.get('cart')
  holds<Same<typeof cart, JSONValue | undefined>>()
  await shared.set('cart', { items: ['a', 1, null, { nested: true }] })
  const count = await shared.update('count', (value) => (typeof value === 'number' ? value + 1 : 1))
  holds<Same<typeof count, JSONValue | undefined>>()
  // @ts-expect-error: a function is no JSON.
  await shared.set('later', () => 1)
  // @ts-expect-error: `undefined` is no value; delete it instead.
  await shared.set('cart', undefined)
  // @ts-expect-error: a value may be anything, so that it has to be checked first.
  void cart.items
  await shared.update('cart', () => undefined)
  const wasThere = await shared.delete('cart')
  holds<Same<typeof wasThere, boolean>>()
})

holds<Same<keyof SharedValues, 'get' | 'set' | 'update' | 'delete'>>()
