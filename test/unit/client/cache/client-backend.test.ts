// The response cache of a client on a backend: who shares what, what ends it, and an engine that is away.
import { describe, expect, it, vi } from 'vitest'
import { memory } from '../../../../src/backend/memory/memory.ts'
import { sealed } from '../../../../src/backend/sealed/sealed.ts'
import { useBackend } from '../../../../src/backend/use-backend.ts'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { sse } from '../../../../src/client/transports/sse.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import type { CacheHint } from '../../../../src/server/results/caching.ts'
import { faultyBackend } from '../../../cluster/faulty-backend.ts'

const PUBLIC: CacheHint = { ttlMs: 60_000, scope: 'public' }
const PRIVATE: CacheHint = { ttlMs: 60_000, scope: 'private' }
const NOTE = 'note://one'

/** A server that counts what reaches it. `hold` is awaited before a read is answered. */
function startServer(hint: CacheHint) {
  const seen: string[] = []
  const state = { text: 'first', hold: undefined as Promise<void> | undefined }
  const server = new MCPServer('notes', {
    cacheHints: { 'tools/list': hint, 'resources/read': hint },
    middleware: [
      (ctx, next) => {
        if (ctx.method === 'tools/list' || ctx.method === 'resources/read') seen.push(ctx.method)
        return next()
      },
    ],
  })
  server.tool('echo', () => 'echo')
  server.resource(NOTE, {}, async () => {
    const { text, hold } = state
    await hold
    return text
  })
  return { server, seen, state }
}

async function connect(server: MCPServer, options: ClientOptions & { cache?: object }): Promise<Client> {
  const { cache, ...others } = options
  return (await Client.connect(server, { ...others, cache: { targetId: 'notes', ...cache } })) as Client
}

async function textOf(client: Client): Promise<unknown> {
  const { contents } = await client.readResource(NOTE)
  return contents[0] && 'text' in contents[0] ? contents[0].text : undefined
}

describe('a client with a backend', () => {
  it('serves a public result to all clients of the backend', async () => {
    const backend = memory()
    const { server, seen } = startServer(PUBLIC)
    await using ada = await connect(server, { backend, cache: { partition: 'ada' } })
    await using bob = await connect(server, { backend, cache: { partition: 'bob' } })
    await using nobody = await connect(server, { backend })
    const tools = await ada.listTools()
    expect(await bob.listTools()).toEqual(tools)
    expect(await nobody.listTools()).toEqual(tools)
    expect(seen).toEqual(['tools/list'])
    expect((await bob.callTool('echo')).content).toEqual([{ type: 'text', text: 'echo' }])
  })

  it('serves a private result to its partition only', async () => {
    const backend = memory()
    const { server, seen } = startServer(PRIVATE)
    await using ada = await connect(server, { backend, cache: { partition: 'ada' } })
    await using adaElsewhere = await connect(server, { backend, cache: { partition: 'ada' } })
    await using bob = await connect(server, { backend, cache: { partition: 'bob' } })
    await ada.listTools()
    await adaElsewhere.listTools()
    expect(seen).toHaveLength(1)
    await bob.listTools()
    expect(seen).toHaveLength(2)
  })

  it('keeps private results in its own memory where it has no partition', async () => {
    const backend = faultyBackend()
    const { server, seen } = startServer(PRIVATE)
    await using one = await connect(server, { backend })
    await using other = await connect(server, { backend })
    await one.listTools()
    await one.listTools()
    expect(seen).toHaveLength(1)
    await other.listTools()
    expect(seen).toHaveLength(2)
    expect(backend.trips.filter((trip) => trip.startsWith('records.put'))).toEqual([])
  })

  it('keeps public results within the partition with sharePublic: false', async () => {
    const backend = memory()
    const { server, seen } = startServer(PUBLIC)
    await using ada = await connect(server, { backend, cache: { partition: 'ada', sharePublic: false } })
    await using bob = await connect(server, { backend, cache: { partition: 'bob', sharePublic: false } })
    await ada.listTools()
    await bob.listTools()
    expect(seen).toHaveLength(2)
  })

  it('shares nothing between two servers, nor between two revisions', async () => {
    const backend = memory()
    const { server, seen } = startServer(PUBLIC)
    await using one = await connect(server, { backend })
    await using other = await connect(server, { backend, cache: { targetId: 'other' } })
    await using legacy = await connect(server, { backend, mode: 'legacy', cache: { defaultTtlMs: 60_000 } })
    await one.listTools()
    await other.listTools()
    await legacy.listTools()
    expect(seen).toHaveLength(3)
  })

  it('names nothing of a client or a server in the engine, and works on a sealed backend', async () => {
    const inner = faultyBackend()
    const backend = sealed(inner, ['a secret of at least thirty-two bytes'])
    const { server, seen } = startServer(PRIVATE)
    await using ada = await connect(server, { backend, cache: { partition: 'ada' } })
    await using again = await connect(server, { backend, cache: { partition: 'ada' } })
    await ada.readResource(NOTE)
    expect(await textOf(again)).toBe('first')
    expect(seen).toHaveLength(1)
    for (const key of inner.keys()) {
      expect(key).toMatch(/^cache1\.[\w-]{43}$/)
      expect(inner.peek(key)?.value).not.toMatch(/first|ada|note/)
    }
  })

  it('expires by the clock of the engine', async () => {
    const clock = { time: 1_000, now: () => clock.time }
    const backend = memory({ clock })
    const { server, seen } = startServer(PUBLIC)
    // The clock of this client is ten minutes ahead, and stands: the time to live is what is left of it when it is stored.
    await using client = await connect(server, { backend, cache: { clock: () => 601_000 } })
    await client.listTools()
    clock.time += 59_999
    await client.listTools()
    expect(seen).toHaveLength(1)
    clock.time += 1
    await client.listTools()
    expect(seen).toHaveLength(2)
  })

  it('takes no result that is too large for the engine, and reports nothing', async () => {
    const backend = memory({ maxValueBytes: 1_000 })
    const { server, seen, state } = startServer(PUBLIC)
    state.text = 'x'.repeat(2_000)
    const faults: Fault[] = []
    await using client = await connect(server, { backend, onFault: (fault) => faults.push(fault) })
    await client.readResource(NOTE)
    await client.readResource(NOTE)
    expect(seen).toHaveLength(2)
    expect(faults).toEqual([])
  })

  it('D045: treats garbage in the engine as absent', async () => {
    const backend = faultyBackend()
    const { server, seen } = startServer(PUBLIC)
    await using client = await connect(server, { backend })
    await client.listTools()
    for (const garbage of ['', '{', 'null', '{"scope":"public"}', '{"scope":"private","value":{"tools":[]}}']) {
      for (const key of backend.keys()) backend.plant(key, garbage)
      expect((await client.listTools()).tools).toHaveLength(1)
    }
    expect(seen).toHaveLength(6)
  })

  it('opens the backend, and closes it after its last user', async () => {
    const backend = memory()
    const { server } = startServer(PUBLIC)
    const release = await useBackend(backend)
    const client = await connect(server, { backend })
    await client.listTools()
    await client.close()
    expect((await backend.health()).isReady).toBe(true)
    await release()
    expect((await backend.health()).isReady).toBe(false)
  })

  it('gives the backend back when it fails to open', async () => {
    const backend = memory()
    const { server } = startServer(PUBLIC)
    const open = vi.fn(() => Promise.reject(new Error('no')))
    const broken = { identifier: 'com.example/x', open }
    await expect(
      Client.connect(server, { backend, cache: { targetId: 'x' }, extensions: [broken as never] }),
    ).rejects.toThrow()
    expect(open).toHaveBeenCalledOnce()
    await vi.waitFor(async () => expect((await backend.health()).isReady).toBe(false))
  })

  it('needs a name of the server where the target is no URL, and a partition where public results are not shared', () => {
    const { server } = startServer(PUBLIC)
    const backend = memory()
    expect(() => new Client(server, { backend })).toThrow(
      'backend needs cache.targetId because the target is not a URL. Set it to a name of the server.',
    )
    expect(() => new Client('http://127.0.0.1:9/mcp', { backend, cache: { sharePublic: false } })).toThrow(
      'backend needs cache.partition because cache.sharePublic is false. Set it to the user or tenant that the client acts for.',
    )
    expect(() => new Client('http://127.0.0.1:9/mcp', { backend })).not.toThrow()
    const headers = { authorization: 'Bearer t' }
    for (const target of [streamableHttp('http://127.0.0.1:9/mcp', { headers }), sse('http://127.0.0.1:9/sse')]) {
      expect(() => new Client(target, { backend })).toThrow(
        'backend needs cache.targetId because the target is a transport, not a URL. Pass the URL itself, with the options headers and auth, or set cache.targetId to a name of the server.',
      )
      expect(() => new Client(target, { backend, cache: { targetId: 'tools' } })).not.toThrow()
    }
    expect(() => new Client('http://127.0.0.1:9/mcp', { backend, headers })).not.toThrow()
    expect(() => new Client(server, { backend, cache: false })).not.toThrow()
  })
})

describe('a change', () => {
  it('that one client hears of removes the result for all', async () => {
    const backend = memory()
    const { server, seen } = startServer(PUBLIC)
    await using listener = await connect(server, { backend })
    await using other = await connect(server, { backend })
    await other.listTools()
    const subscription = await listener.listen({ toolsListChanged: true })
    server.tool('second', () => 'second')
    const { value } = await subscription[Symbol.asyncIterator]().next()
    expect(value).toMatchObject({ type: 'toolsListChanged' })
    expect((await other.listTools()).tools).toHaveLength(2)
    expect(seen).toHaveLength(2)
    await subscription.close()
  })

  it('wins over a result that another client asked for before it', async () => {
    const backend = memory()
    const { server, state, seen } = startServer(PUBLIC)
    await using slow = await connect(server, { backend })
    await using listener = await connect(server, { backend })
    const subscription = await listener.listen({ resourceSubscriptions: [NOTE] })
    let answer = () => {}
    state.hold = new Promise((resolve) => {
      answer = resolve
    })
    const old = textOf(slow)
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    state.hold = undefined
    state.text = 'second'
    await server.notifyResourceUpdated(NOTE)
    await subscription[Symbol.asyncIterator]().next()
    answer()
    expect(await old).toBe('first')
    expect(await textOf(slow)).toBe('second')
    expect(await textOf(listener)).toBe('second')
    expect(seen).toHaveLength(2)
    await subscription.close()
  })

  it('wins over a refresh that began before it', async () => {
    const backend = memory()
    const { server, state, seen } = startServer(PUBLIC)
    await using slow = await connect(server, { backend })
    await using listener = await connect(server, { backend })
    await textOf(slow)
    const subscription = await listener.listen({ resourceSubscriptions: [NOTE] })
    let answer = () => {}
    state.hold = new Promise((resolve) => {
      answer = resolve
    })
    const old = slow.readResource(NOTE, { cacheMode: 'refresh' })
    await vi.waitFor(() => expect(seen).toHaveLength(2))
    state.hold = undefined
    state.text = 'second'
    await server.notifyResourceUpdated(NOTE)
    await subscription[Symbol.asyncIterator]().next()
    answer()
    await old
    expect(await textOf(slow)).toBe('second')
    await subscription.close()
  })
})

describe('an engine that is away', () => {
  it('fails no call, is reported once, and is not waited for', async () => {
    const backend = faultyBackend()
    const { server, seen } = startServer(PUBLIC)
    const faults: Fault[] = []
    await using client = await connect(server, { backend, onFault: (fault) => faults.push(fault) })
    await client.listTools()
    backend.isDown = true
    for (let i = 0; i < 5; i += 1) await client.listTools()
    expect(seen).toHaveLength(6)
    expect(faults).toMatchObject([
      {
        kind: 'transport',
        message: 'The backend of the response cache failed. Calls go to the server until it works again.',
        error: { kind: 'unavailable' },
      },
    ])
    // One trip has found out; the others made none.
    const before = backend.trips.length
    await client.listTools()
    expect(backend.trips.length - before).toBeLessThanOrEqual(1)
  })

  it('is used again when it is back, without what a change has removed meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const backend = faultyBackend()
      const { server, state, seen } = startServer(PUBLIC)
      await using client = await connect(server, { backend })
      await using other = await connect(server, { backend })
      expect(await textOf(client)).toBe('first')
      const subscription = await client.listen({ resourceSubscriptions: [NOTE] })
      backend.isDown = true
      state.text = 'second'
      await server.notifyResourceUpdated(NOTE)
      await subscription[Symbol.asyncIterator]().next()
      expect(await textOf(client)).toBe('second')
      backend.isDown = false
      // Each call after a pause looks for the engine; it may take a few.
      for (let i = 0; i < 10; i += 1) {
        vi.advanceTimersByTime(5_000)
        expect(await textOf(client)).toBe('second')
      }
      const before = seen.length
      expect(await textOf(client)).toBe('second')
      expect(await textOf(other)).toBe('second')
      expect(seen.length - before).toBe(0)
      await subscription.close()
    } finally {
      vi.useRealTimers()
    }
  })

  it('and cannot be opened keeps no client from opening', async () => {
    const inner = memory()
    const open = vi.fn(() => Promise.reject(new Error('no such package')))
    const { server, seen } = startServer(PUBLIC)
    const faults: Fault[] = []
    const { records, logs, topics, limits } = inner
    const backend = { records, logs, topics, limits, open, close: () => inner.close(), health: () => inner.health() }
    await using client = await connect(server, { backend, onFault: (fault) => faults.push(fault) })
    await client.listTools()
    await client.listTools()
    expect(seen).toHaveLength(2)
    expect(faults.map(({ error }) => String(error))).toEqual(['Error: no such package'])
  })
})
