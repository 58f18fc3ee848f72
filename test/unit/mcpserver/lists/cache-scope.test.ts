// A hint for caches is no permission: who may see and call what does not depend on it.
import { expect, it, vi } from 'vitest'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import { FakeExchange } from '../../../support/fake-exchange.ts'
import { type ModernRequest, modernBody, modernHeaders } from '../../../support/modern-messages.ts'

it('S-CACHE-04 a hint that says public gives nobody access: a list has only what the caller can see, and is for that caller', async () => {
  const cacheHints = { 'tools/list': { ttlMs: 60_000, scope: 'public' } } as const
  const server = new MCPServer('shelf', { cacheHints })
  const drop = vi.fn(() => 'dropped')
  server.tool('drop', { visible: ({ auth }) => auth?.subject === 'ada' }, drop)
  const handler = createHandler(server)
  const ask = async (subject: string, request: ModernRequest) => {
    const auth = { clientId: 'app', issuer: 'https://as.example', subject, scopes: [] }
    const exchange = new FakeExchange({ body: modernBody(request), headers: modernHeaders(request), auth })
    await handler(exchange)
    await exchange.answered
    return exchange.json
  }
  const list = { method: 'tools/list' }
  expect(await ask('ada', list)).toMatchObject({ result: { cacheScope: 'private', tools: [{ name: 'drop' }] } })
  expect(await ask('eve', list)).toMatchObject({ result: { cacheScope: 'private', tools: [] } })
  expect(await ask('eve', { params: { name: 'drop' } })).toMatchObject({ error: { code: -32602 } })
  expect(drop).not.toHaveBeenCalled()
  await handler.close()
})
