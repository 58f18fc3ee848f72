// Pages: following a listing to its end, and stopping where it has none.
import { expect } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import { Server } from '../../../src/server/server.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { LimitError } from '../../../src/types/errors/failures.ts'
import type { Cursor } from '../../../src/types/protocol/base.ts'
import { requirement } from '../kit/requirement.ts'
import { answerRaw, failureOf, refusalOf, tool } from '../kit/support-features.ts'

interface Page {
  readonly names: string[]
  readonly next?: Cursor
}

type Turn = (cursor: Cursor | undefined) => Page

/** A server that lists tools, resources, templates and prompts alike, a page at a time. */
function pagingServer(turn: Turn): Server {
  const page = <Key extends string, Item>(key: Key, cursor: Cursor | undefined, make: (name: string) => Item) => {
    const { names, next } = turn(cursor)
    return { [key]: names.map(make), ...(next !== undefined && { nextCursor: next }) } as Record<Key, Item[]>
  }
  return new Server('pages', {
    handlers: {
      'tools/list': (_ctx, { cursor }) => page('tools', cursor, (name) => tool(name)),
      'resources/list': (_ctx, { cursor }) => page('resources', cursor, (name) => ({ name, uri: `x:${name}` })),
      'resources/templates/list': (_ctx, { cursor }) =>
        page('resourceTemplates', cursor, (name) => ({ name, uriTemplate: `x:{${name}}` })),
      'prompts/list': (_ctx, { cursor }) => page('prompts', cursor, (name) => ({ name })),
    },
  })
}

/** Pages by number; the cursor of each is given, the first one has none. */
function inPages(pages: string[][], cursorOf = (index: number) => `page-${index}`): Turn {
  return (cursor) => {
    const index = cursor === undefined ? 0 : pages.findIndex((_page, each) => each > 0 && cursorOf(each) === cursor)
    const names = pages[index]
    if (names === undefined) throw new MCPError(-32602, 'Unknown cursor')
    return index + 1 < pages.length ? { names, next: cursorOf(index + 1) } : { names }
  }
}

async function namesOf(items: AsyncIterable<{ name: string }>): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of items) names.push(name)
  return names
}

const LISTINGS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const satisfies (keyof Client)[]

requirement('pages:all-in-order', async ({ connect }) => {
  const pages = [['a'], ['b', 'c', 'd'], ['e', 'f']]
  await using client = await connect(pagingServer(inPages(pages)))

  for (const listing of LISTINGS) expect(await namesOf(client[listing]()), listing).toEqual(pages.flat())
})

requirement('pages:cursor-is-opaque', async ({ connect }) => {
  const cursors = ['', ' a b ', '{"offset": 2}', '\u0000世界\n', 'x'.repeat(5_000), '0']
  const pages = cursors.concat('last').map((_cursor, index) => [`item-${index}`])
  await using client = await connect(pagingServer(inPages(pages, (index) => cursors[index - 1] ?? 'none')))

  expect(await namesOf(client.tools())).toEqual(pages.flat())
})

requirement('pages:empty-string-leads-on', async ({ connect }) => {
  await using client = await connect(pagingServer(inPages([['a'], ['b']], () => '')))

  const first = await client.listPrompts()
  expect(first.nextCursor).toBe('')
  expect((await client.listPrompts({ cursor: '' })).prompts).toEqual([{ name: 'b' }])
  expect(await namesOf(client.prompts())).toEqual(['a', 'b'])
})

requirement('pages:null-cursor-ends', async ({ connect }) => {
  const server = pagingServer(inPages([['a']]))
  answerRaw(server, 'tools/list', () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: null }))
  answerRaw(server, 'prompts/list', () => ({ prompts: [{ name: 'a' }], nextCursor: null }))
  await using client = await connect(server)

  expect(await namesOf(client.tools())).toEqual(['a'])
  expect(await namesOf(client.prompts())).toEqual(['a'])
  expect(await client.listPrompts()).not.toHaveProperty('nextCursor')
})

requirement('pages:empty-page-leads-on', async ({ connect }) => {
  await using client = await connect(pagingServer(inPages([['a'], [], [], ['b']])))

  expect(await namesOf(client.resources())).toEqual(['a', 'b'])
})

requirement('pages:one-at-a-time', async ({ connect }) => {
  const asked: (Cursor | undefined)[] = []
  const turn = inPages([['a'], ['b'], ['c']])
  const server = pagingServer((cursor) => {
    asked.push(cursor)
    return turn(cursor)
  })
  await using client = await connect(server)
  for await (const { name } of client.tools()) if (name === 'b') break

  expect(asked).toEqual([undefined, 'page-1'])
})

requirement('pages:single', async ({ connect }) => {
  await using client = await connect(pagingServer(inPages([['a'], ['b'], ['c']])))

  const first = await client.listTools()
  expect(first).toMatchObject({ tools: [{ name: 'a' }], nextCursor: 'page-1' })
  expect(await client.listTools({ cursor: 'page-2' })).toMatchObject({ tools: [{ name: 'c' }] })
})

requirement('pages:bad-cursor', async ({ connect }) => {
  await using client = await connect(pagingServer(inPages([['a']])))

  expect(await refusalOf(client.listTools({ cursor: 'nonsense' }))).toEqual({ code: -32602, local: false })
  const malformed = client.listTools({ cursor: 5 as unknown as Cursor })
  expect(await refusalOf(malformed)).toEqual({ code: -32602, local: false })
})

requirement('pages:failure-in-the-middle', async ({ connect }) => {
  const turn = inPages([['a'], ['b'], ['c']])
  const server = pagingServer((cursor) => {
    if (cursor === 'page-2') throw new MCPError(-31000, 'Out of order')
    return turn(cursor)
  })
  await using client = await connect(server)
  const seen: string[] = []
  const reading = (async () => {
    for await (const { name } of client.tools()) seen.push(name)
  })()

  expect(await refusalOf(reading)).toEqual({ code: -31000, local: false })
  expect(seen).toEqual(['a', 'b'])
})

requirement('fault:F101:cursor-comes-again', async ({ connect }) => {
  let turns = 0
  const server = pagingServer(() => {
    turns += 1
    return { names: [`n${turns}`], next: turns % 2 === 0 ? 'even' : 'odd' }
  })
  await using client = await connect(server)

  expect(await failureOf(namesOf(client.tools()))).toBeInstanceOf(LimitError)
  expect(turns).toBe(3)
})

requirement('fault:F101:pages-never-end', async ({ connect }) => {
  let turns = 0
  const server = pagingServer(() => {
    turns += 1
    return { names: [], next: String(turns) }
  })
  await using client = await connect(server)

  const error = await failureOf(namesOf(client.resources()))

  expect(error).toBeInstanceOf(LimitError)
  expect(error).toMatchObject({ max: 1_000 })
  expect(turns).toBe(1_000)
})

requirement('pages:signal-ends-the-loop', async ({ connect }) => {
  const controller = new AbortController()
  await using client = await connect(pagingServer(inPages([['a'], ['b']])))
  const reading = (async () => {
    for await (const _tool of client.tools({ signal: controller.signal })) controller.abort(new Error('enough'))
  })()

  expect(await failureOf(reading)).toMatchObject({ message: 'enough' })
})

requirement('pages:malformed-next-cursor', async ({ connect }) => {
  const server = pagingServer(inPages([['a']]))
  answerRaw(server, 'prompts/list', () => ({ prompts: [], nextCursor: { offset: 2 } }))
  await using client = await connect(server)

  expect(await failureOf(namesOf(client.prompts()))).toMatchObject({ path: 'nextCursor' })
})
