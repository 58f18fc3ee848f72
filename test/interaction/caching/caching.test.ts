// The response cache: what is kept, how long, and what makes it go.
import { expect, vi } from 'vitest'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { requirement } from '../kit/requirement.ts'
import {
  allAt,
  ask,
  askAll,
  Clock,
  caching,
  hints,
  numberingServer,
  read,
  TestStore,
  TTL_MS,
} from '../kit/support-caching.ts'
import { answerRaw, failureOf, noteMethods, refusalOf, tool } from '../kit/support-features.ts'

requirement('cache:fresh', async ({ connect }) => {
  const clock = new Clock()
  await using client = await connect(numberingServer(), caching({ clock: clock.now }))
  expect(await askAll(client)).toEqual(allAt('v1'))
  clock.advance(TTL_MS - 1)

  expect(await askAll(client)).toEqual(allAt('v1'))
})

requirement('cache:stale', async ({ connect }) => {
  const clock = new Clock()
  await using client = await connect(numberingServer(), caching({ clock: clock.now }))
  await askAll(client)
  clock.advance(TTL_MS)

  expect(await askAll(client)).toEqual(allAt('v2'))
  expect(await askAll(client)).toEqual(allAt('v2'))
})

requirement('cache:on-by-default', async ({ connect, isModern }) => {
  await using client = await connect(numberingServer())
  await askAll(client)

  // Without a word from the server, as in the legacy era, nothing is kept.
  expect(await askAll(client)).toEqual(allAt(isModern ? 'v1' : 'v2'))
})

requirement('cache:off', async ({ connect }) => {
  await using client = await connect(numberingServer(), { cache: false })
  await askAll(client)

  expect(await askAll(client)).toEqual(allAt('v2'))
})

requirement('cache:default-ttl', async ({ connect, isModern }) => {
  const server = numberingServer({ cacheHints: {} })
  await using client = await connect(server, caching())
  await askAll(client)

  // In the modern era the server does say: not at all.
  expect(await askAll(client)).toEqual(allAt(isModern ? 'v2' : 'v1'))
})

requirement('fault:F221:ttl-zero', async ({ connect }) => {
  await using client = await connect(numberingServer({ cacheHints: hints(0) }))
  await askAll(client)

  expect(await askAll(client)).toEqual(allAt('v2'))
})

requirement('fault:F221:ttl-negative-or-absent', async ({ connect }) => {
  for (const ttl of [{ ttlMs: -5 }, {}]) {
    let count = 0
    const server = numberingServer()
    answerRaw(server, 'tools/list', () => {
      count += 1
      return { resultType: 'complete', tools: [tool(`v${count}`)], ...ttl }
    })
    await using client = await connect(server)
    await ask.tools(client)

    expect(await ask.tools(client)).toBe('v2')
  }
})

requirement('fault:F221:ttl-without-end', async ({ connect }) => {
  const clock = new Clock()
  let count = 0
  const server = numberingServer()
  answerRaw(server, 'tools/list', () => {
    count += 1
    return { resultType: 'complete', tools: [tool(`v${count}`)], ttlMs: 1e300, cacheScope: 'private' }
  })
  await using client = await connect(server, { cache: { clock: clock.now } })
  await ask.tools(client)
  clock.advance(86_399_000)
  expect(await ask.tools(client)).toBe('v1')
  clock.advance(1_000)

  expect(await ask.tools(client)).toBe('v2')
})

requirement('cache:ttl-of-a-legacy-server', async ({ connect }) => {
  let count = 0
  const server = numberingServer()
  answerRaw(server, 'tools/list', () => {
    count += 1
    return { tools: [tool(`v${count}`)], ttlMs: TTL_MS, cacheScope: 'public' }
  })
  await using client = await connect(server)
  await ask.tools(client)

  expect(await ask.tools(client)).toBe('v2')
})

requirement('cache:mode-refresh', async ({ connect }) => {
  await using client = await connect(numberingServer(), caching())
  await askAll(client)

  expect(await askAll(client, { cacheMode: 'refresh' })).toEqual(allAt('v2'))
  expect(await askAll(client)).toEqual(allAt('v2'))
})

requirement('cache:mode-bypass', async ({ connect }) => {
  await using client = await connect(numberingServer(), caching())
  await askAll(client)

  expect(await askAll(client, { cacheMode: 'bypass' })).toEqual(allAt('v2'))
  expect(await askAll(client)).toEqual(allAt('v1'))
})

requirement('cache:mode-unknown', async ({ connect }) => {
  await using client = await connect(numberingServer(), caching())

  expect(await failureOf(client.listTools({ cacheMode: 'sometimes' as 'use' }))).toBeInstanceOf(RangeError)
})

requirement('cache:meta-is-a-refresh', async ({ connect }) => {
  await using client = await connect(numberingServer(), caching())
  await askAll(client)

  expect(await askAll(client, { meta: { 'example.com/trace': 1 } })).toEqual(allAt('v2'))
  expect(await askAll(client)).toEqual(allAt('v2'))
})

requirement('cache:by-uri', async ({ connect }) => {
  await using client = await connect(numberingServer(), caching())
  await read(client, 'x:1')
  await read(client, 'x:1', { cacheMode: 'refresh' })

  expect(await read(client, 'x:2')).toBe('v1')
  expect(await read(client, 'x:1')).toBe('v2')
  expect(await read(client, 'X:1')).toBe('v1')
})

requirement('cache:other-verbs', async ({ connect }) => {
  const server = numberingServer({
    handlers: {
      'tools/call': () => ({ content: [] }),
      'prompts/get': () => ({ messages: [] }),
      'completion/complete': () => ({ completion: { values: [] } }),
    },
  })
  const seen = noteMethods(server)
  await using client = await connect(server, caching())
  for (let round = 0; round < 2; round += 1) {
    await client.callTool('a')
    await client.getPrompt('a')
    await client.complete({ type: 'ref/prompt', name: 'a' }, { name: 'a', value: '' })
    await client.session.listPrompts()
  }

  for (const method of ['tools/call', 'prompts/get', 'completion/complete', 'prompts/list']) {
    expect(seen.count(method), method).toBe(2)
  }
})

requirement('cache:further-pages', async ({ connect }) => {
  const asked: (string | undefined)[] = []
  const server = numberingServer({
    handlers: {
      'tools/list': (_ctx, { cursor }) => {
        asked.push(cursor)
        return cursor === undefined ? { tools: [tool('a')], nextCursor: '2' } : { tools: [tool('b')] }
      },
    },
  })
  await using client = await connect(server, caching())
  for (let round = 0; round < 2; round += 1) for await (const _tool of client.tools());

  expect(asked).toEqual([undefined, '2', '2'])
})

requirement('cache:refused-cursor', async ({ connect }) => {
  let first = 0
  const server = numberingServer({
    handlers: {
      'tools/list': (_ctx, { cursor }) => {
        if (cursor !== undefined) throw new MCPError(-32602, 'Unknown cursor')
        first += 1
        return { tools: [tool(`v${first}`)], nextCursor: 'gone' }
      },
    },
  })
  await using client = await connect(server, caching())
  await ask.tools(client)
  await refusalOf(client.listTools({ cursor: 'gone', cacheMode: 'bypass' }))
  expect(await ask.tools(client)).toBe('v1')
  await refusalOf(client.listTools({ cursor: 'gone' }))

  expect(await ask.tools(client)).toBe('v2')
})

requirement('cache:copies', async ({ connect }) => {
  await using client = await connect(numberingServer(), caching())
  const first = await client.listTools()
  first.tools.push(tool('mine'))
  const second = await client.listTools()
  expect(second.tools.map(({ name }) => name)).toEqual(['v1'])
  second.tools.length = 0

  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['v1'])
})

requirement('cache:least-recently-used', async ({ connect }) => {
  await using client = await connect(numberingServer(), caching({ maxEntries: 2 }))
  await read(client, 'x:1')
  await read(client, 'x:2')
  await read(client, 'x:1')
  await read(client, 'x:3')

  expect(await read(client, 'x:1')).toBe('v1')
  expect(await read(client, 'x:2')).toBe('v2')
})

requirement('cache:closed-client', async ({ connect }) => {
  const client = await connect(numberingServer(), caching())
  await askAll(client)
  await client.close()

  for (const verb of Object.values(ask)) expect(await failureOf(verb(client))).toMatchObject({ message: /not open/ })
})

requirement('cache:failure-is-no-answer', async ({ connect }) => {
  const clock = new Clock()
  let isBroken = false
  const server = numberingServer()
  server.use((ctx, next) => {
    if (isBroken && ctx.method === 'tools/list') throw new MCPError(-31000, 'Broken')
    return next()
  })
  await using client = await connect(server, caching({ clock: clock.now }))
  await ask.tools(client)
  clock.advance(TTL_MS)
  isBroken = true
  expect(await refusalOf(ask.tools(client))).toEqual({ code: -31000, local: false })
  isBroken = false

  expect(await ask.tools(client)).toBe('v2')
})

requirement('cache:no-polling', async ({ connect }) => {
  vi.useFakeTimers()
  try {
    const server = numberingServer()
    const seen = noteMethods(server)
    const client = await connect(server, caching())
    await askAll(client)
    const before = [...seen.all]
    await vi.advanceTimersByTimeAsync(10 * TTL_MS)
    expect(seen.all).toEqual(before)
    await client.close()
  } finally {
    vi.useRealTimers()
  }
})

requirement('cache:hit-teaches', async ({ connect, isModern }) => {
  const outputSchema = { type: 'object', required: ['n'] }
  const server = numberingServer({
    handlers: {
      'tools/list': () => ({ tools: [tool('a', { outputSchema })] }),
      'tools/call': () => ({ content: [], structuredContent: {} }),
    },
  })
  const seen = noteMethods(server)
  const options = caching({ store: new TestStore(), partition: 'me', targetId: 'numbering' })
  await using first = await connect(server, options)
  await first.listTools()
  await using second = await connect(server, options)
  await second.listTools()

  expect(await failureOf(second.callTool('a'))).toMatchObject({ name: 'InvalidResultError' })
  expect(seen.count('tools/list')).toBe(1)
  expect(seen.count('server/discover')).toBe(isModern ? 2 : 0)
})
