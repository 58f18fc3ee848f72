// Sessions that any node serves: what is the same as on one node, and what happens when the engine fails.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import { connectionOfRequest } from '../../src/server/context.ts'
import type { SessionOptions } from '../../src/server/http/legacy/legacy-options.ts'
import { coreOf } from '../../src/server/internals.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { NAME_FORM } from '../interaction/kit/support-mcpserver.ts'
import {
  type ClusterOptions,
  connectClient,
  type NodeParts,
  RawClient,
  StreamReader,
  startCluster,
  type TestCluster,
  textOf,
} from './cluster.ts'
import { faultyBackend } from './faulty-backend.ts'

function createServer({ backend, onFault, index }: NodeParts): MCPServer {
  const server = new MCPServer('sessions', { backend, onFault, logging: true, subscriptions: true })
  server.tool('where', () => `node ${index}`)
  server.tool('client', (_, ctx) => JSON.stringify(ctx.session.clientParams?.clientInfo))
  server.tool('state', (_, ctx) => {
    const { logLevel, isInitialized } = connectionOfRequest(ctx.request)
    return JSON.stringify({ logLevel, isInitialized })
  })
  server.tool('ask', async (_, ctx) => (await ctx.elicit('Sure?', NAME_FORM)).action)
  server.resource('text://a', () => 'a')
  return server
}

/** Each request looks at the record first. */
const ALWAYS: SessionOptions = { checkMs: 0 }

function start(sessions: SessionOptions = {}, options: ClusterOptions = {}): Promise<TestCluster> {
  return startCluster(createServer, { ...options, handler: { ...options.handler, sessions } })
}

/** The keys of the sessions that are stored. */
function sessionKeys({ backend }: TestCluster): string[] {
  return backend.keys().filter((key) => key.startsWith('s.'))
}

function messagesOf({ faults }: TestCluster): string[] {
  return faults.map(({ message }) => message)
}

async function errorOf(response: Response): Promise<{ code: number; message: string }> {
  return ((await response.json()) as { error: { code: number; message: string } }).error
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a session on three nodes', () => {
  test('D001: initialize on one node, every next request on another: 30 of 30 raw calls', async () => {
    const cluster = await start()
    const client = await RawClient.open(cluster, 0)
    const answers: string[] = []
    for (let i = 1; i <= 30; i += 1) answers.push(await textOf(await client.tool(i % 3, 'where')))
    expect(answers).toEqual(Array.from({ length: 30 }, (_, i) => `node ${(i + 1) % 3}`))
    expect(await textOf(await client.tool(2, 'client'))).toBe('{"name":"raw","version":"1"}')
  })

  test('D001: 60 of 60 calls of our own client behind a round-robin balancer', async () => {
    const cluster = await start()
    const client = await connectClient(cluster.fetch)
    const seen = new Set<string>()
    for (let i = 0; i < 60; i += 1) {
      const { content } = await client.callTool('where')
      seen.add(JSON.stringify(content))
    }
    expect(seen.size).toBe(3)
    expect(cluster.served.every((count) => count >= 20)).toBe(true)
    expect(sessionKeys(cluster)).toHaveLength(1)
  })

  test('D001: 50 requests for one session at once on a node that does not know it make one trip', async () => {
    const cluster = await start()
    const client = await RawClient.open(cluster, 0)
    const before = cluster.backend.trips.length
    const responses = await Promise.all(Array.from({ length: 50 }, (_, i) => client.tool(1, 'where', {}, `r${i}`)))
    expect(await Promise.all(responses.map(textOf))).toEqual(responses.map(() => 'node 1'))
    const trips = cluster.backend.trips.slice(before).filter((trip) => trip.startsWith('records.get s.'))
    expect(trips).toHaveLength(1)
  })

  test('is stored before the answer to initialize leaves', async () => {
    const cluster = await start()
    const client = new RawClient(cluster)
    const put = cluster.backend.records.put
    const order: string[] = []
    const asked = createDeferred()
    const go = createDeferred()
    cluster.backend.records.put = async (key, value, options) => {
      if (!key.startsWith('s.')) return put(key, value, options)
      asked.resolve()
      await go.promise
      order.push('stored')
      return put(key, value, options)
    }
    const answered = client.initialize(0).then((response) => {
      order.push('answered')
      return response
    })
    await asked.promise
    go.resolve()
    expect((await answered).status).toBe(200)
    expect(order).toEqual(['stored', 'answered'])
  })

  test('is known by a digest: neither its id nor its caller stands in the engine', async () => {
    const cluster = await start()
    const client = await RawClient.open(cluster, 0, { user: 'alice@example.com' })
    await client.tool(1, 'where')
    const values = cluster.backend.keys().map((key) => cluster.backend.peek(key)?.value)
    const all = JSON.stringify([cluster.backend.trips, values])
    expect(client.sessionId).toMatch(/^[\w-]{43}$/)
    expect(all).not.toContain(client.sessionId)
    expect(all).not.toContain('alice')
  })

  test('is not found by another caller, on any node', async () => {
    const cluster = await start()
    const alice = await RawClient.open(cluster, 0, { user: 'alice' })
    for (const user of ['bob', undefined]) {
      const other = new RawClient(cluster, user === undefined ? {} : { user })
      other.sessionId = alice.sessionId
      const responses = [await other.tool(0, 'where'), await other.tool(1, 'where'), await other.delete(2)]
      expect(responses.map(({ status }) => status)).toEqual([404, 404, 404])
    }
    expect((await alice.tool(1, 'where')).status).toBe(200)
    expect((await alice.tool(2, 'where')).status).toBe(200)
  })

  test('has its log level, its watched resources and its readiness on every node', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    expect(await textOf(await client.tool(1, 'state'))).toBe('{"isInitialized":true}')
    expect((await client.request(1, 'logging/setLevel', { level: 'warning' })).status).toBe(200)
    expect((await client.request(2, 'resources/subscribe', { uri: 'text://a' })).status).toBe(200)
    for (const node of [0, 1, 2]) expect(await textOf(await client.tool(node, 'state'))).toContain('"warning"')
    const record = () => JSON.parse(cluster.backend.peek(sessionKeys(cluster)[0] ?? '')?.value ?? '') as JSONObject
    expect(record()).toMatchObject({ isInitialized: true, logLevel: 'warning', watched: ['text://a'] })
    await client.request(0, 'resources/unsubscribe', { uri: 'text://a' })
    expect(record()).toMatchObject({ watched: [] })
  })

  test('gets changes of a resource that it watches by way of another node', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    await client.request(1, 'resources/subscribe', { uri: 'text://a' })
    // This request restores the session on the node that announces the change.
    await client.tool(2, 'where')
    const stream = new StreamReader(await client.get(2))
    await cluster.nodes[2]!.server.server.announce({ type: 'resourceUpdated', uri: 'text://a' })
    expect(await stream.next()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'text://a' },
    })
    await stream.cancel()
  })

  test('changes of many nodes at once are all kept', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    const uris = Array.from({ length: 9 }, (_, i) => `text://${i}`)
    const responses = await Promise.all(uris.map((uri, i) => client.request(i % 3, 'resources/subscribe', { uri })))
    expect(responses.map(({ status }) => status)).toEqual(uris.map(() => 200))
    const [key = ''] = sessionKeys(cluster)
    const { watched } = JSON.parse(cluster.backend.peek(key)?.value ?? '') as { watched: string[] }
    expect(watched.toSorted()).toEqual(uris)
  })

  test('ends on all nodes with DELETE on one: calls are aborted with an answer, and the next request gets 404', async () => {
    const started = createDeferred()
    const aborted = createDeferred()
    const cluster = await startCluster((parts) => {
      const server = createServer(parts)
      server.tool('wait', async (_, ctx) => {
        started.resolve()
        await new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => {
            aborted.resolve()
            reject(ctx.signal.reason)
          })
        })
        return 'done'
      })
      return server
    })
    const client = await RawClient.open(cluster, 0)
    const waiting = client.tool(1, 'wait')
    await started.promise
    expect((await client.delete(2)).status).toBe(204)
    await aborted.promise
    expect((await errorOf(await waiting)).message).toBe('The connection is closing')
    for (const node of [0, 1, 2]) expect((await client.tool(node, 'where')).status).toBe(404)
    expect(sessionKeys(cluster)).toEqual([])
    expect(cluster.nodes.map(({ handler }) => handler.sessionCount)).toEqual([0, 0, 0])
  })

  test('a node that missed the end of a session learns it with its next check', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    await client.tool(1, 'where')
    cluster.backend.failing = 'topics.publish'
    expect((await client.delete(0)).status).toBe(204)
    cluster.backend.failing = undefined
    expect((await client.tool(1, 'where')).status).toBe(404)
  })

  test('a node whose inbox was broken looks whether its open sessions have ended', async () => {
    const cluster = await start()
    const client = await RawClient.open(cluster, 0)
    const stream = new StreamReader(await client.get(1))
    cluster.backend.failing = 'topics.publish'
    await client.delete(0)
    cluster.backend.failing = undefined
    cluster.backend.breakTopics()
    expect(await stream.next()).toBeUndefined()
  })

  test('D048: closing a node does not end its sessions', async () => {
    const cluster = await start()
    const client = await RawClient.open(cluster, 0)
    await cluster.nodes[0]!.handler.close({ drainMs: 0 })
    expect((await client.tool(0, 'where')).status).toBe(503)
    expect(await textOf(await client.tool(1, 'where'))).toBe('node 1')
  })

  test('a node forgets the object of a session that is used elsewhere, and makes it anew', async () => {
    const cluster = await start({ localIdleMs: 10 })
    const client = await RawClient.open(cluster, 0)
    await client.tool(1, 'where')
    await expect.poll(() => cluster.nodes.map(({ handler }) => handler.sessionCount)).toEqual([0, 0, 0])
    expect(sessionKeys(cluster)).toHaveLength(1)
    expect(await textOf(await client.tool(1, 'where'))).toBe('node 1')
  })

  test('a node keeps the object of a session while it waits for an answer of the client', async () => {
    const answered = createDeferred<number>()
    const cluster = await startCluster(
      (parts) => {
        const server = createServer(parts)
        server.tool('background', (_, ctx) => {
          const { session } = ctx
          void session.listRoots({ related: false }).then(({ roots }) => answered.resolve(roots.length))
          return 'asked'
        })
        return server
      },
      { handler: { sessions: { localIdleMs: 10 } } },
    )
    const client = await RawClient.open(cluster, 0, { capabilities: { roots: {} } })
    const stream = new StreamReader(await client.get(1))
    expect(await textOf(await client.tool(0, 'background'))).toBe('asked')
    const question = (await stream.next()) as { id: string }
    // Used later than the object that waits, and removed all the same.
    await client.tool(2, 'where')
    await expect.poll(() => cluster.nodes[2]?.handler.sessionCount).toBe(0)
    expect(cluster.nodes[0]?.handler.sessionCount).toBe(1)
    await client.post(2, { jsonrpc: '2.0', id: question.id, result: { roots: [] } })
    expect(await answered.promise).toBe(0)
    await stream.cancel()
  })

  test('a full node makes room by an object that is not in use; one in use stays', async () => {
    const cluster = await start({ max: 1 })
    const first = await RawClient.open(cluster, 0)
    const second = await RawClient.open(cluster, 0)
    expect(cluster.nodes[0]?.handler.sessionCount).toBe(1)
    expect((await first.tool(0, 'where')).status).toBe(200)
    const stream = await first.get(0)
    const refused = await second.tool(0, 'where')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    await stream.body?.cancel()
  })

  test('D049: the limit per principal holds over all nodes', async () => {
    const cluster = await start({ maxPerPrincipal: 4 })
    const open = (node: number, user: string) => new RawClient(cluster, { user }).initialize(node)
    const statuses: number[] = []
    for (let i = 0; i < 6; i += 1) statuses.push((await open(i % 3, 'alice')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503])
    expect((await open(0, 'bob')).status).toBe(200)
  })

  test('D049: DELETE frees the place of the principal', async () => {
    const cluster = await start({ maxPerPrincipal: 1 })
    const client = await RawClient.open(cluster, 0, { user: 'alice' })
    expect((await new RawClient(cluster, { user: 'alice' }).initialize(1)).status).toBe(503)
    expect((await client.delete(2)).status).toBe(204)
    expect((await new RawClient(cluster, { user: 'alice' }).initialize(1)).status).toBe(200)
  })

  test('D049: a session that nobody uses is gone from the engine after idleMs; use on any node keeps it', async () => {
    let now = 1_000_000
    const backend = faultyBackend({ clock: { now: () => now } })
    const cluster = await start({ ...ALWAYS, idleMs: 60_000 }, { backend })
    const used = await RawClient.open(cluster, 0)
    const idle = await RawClient.open(cluster, 0)
    const records = () => sessionKeys(cluster).map((key) => backend.peek(key)?.value)
    // The last thing that is stored for each of them.
    await expect.poll(() => records().filter((text) => text?.includes('"isInitialized":true'))).toHaveLength(2)
    for (const node of [1, 2]) {
      now += 40_000
      expect(await textOf(await used.tool(node, 'where'))).toBe(`node ${node}`)
    }
    expect((await idle.tool(0, 'where')).status).toBe(404)
    expect(records()).toHaveLength(1)
  })

  test('D050: ids of another form are refused before any trip', async () => {
    const cluster = await start()
    const client = new RawClient(cluster)
    const before = cluster.backend.trips.length
    for (const id of ['x'.repeat(10_000), 'short', '*', `${'a'.repeat(42)}:`, `s.${'a'.repeat(41)}`, 'a'.repeat(44)]) {
      client.sessionId = id
      expect((await client.tool(0, 'where')).status).toBe(404)
    }
    expect(cluster.backend.trips.slice(before)).toEqual([])
  })

  test('a client that never sends notifications/initialized is served all the same', async () => {
    const cluster = await start()
    const client = new RawClient(cluster)
    const response = await client.initialize(0)
    client.sessionId = response.headers.get('mcp-session-id') ?? ''
    expect(await textOf(await client.tool(1, 'state'))).toContain('"isInitialized":true')
    await expect
      .poll(() => cluster.backend.peek(sessionKeys(cluster)[0] ?? '')?.value)
      .toContain('"isInitialized":true')
  })
})

describe('when the engine fails', () => {
  test('D002: a session that was checked lately goes on; the failure is reported once', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    cluster.backend.isDown = true
    for (let i = 0; i < 5; i += 1) expect((await client.tool(0, 'where')).status).toBe(200)
    const reports = messagesOf(cluster).filter((message) =>
      message.startsWith('The engine that keeps the sessions failed'),
    )
    expect(reports).toHaveLength(1)
  })

  test('D002: an engine that stays away is reported once a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const cluster = await start({ ...ALWAYS, graceMs: 600_000 })
    const client = await RawClient.open(cluster, 0)
    cluster.backend.isDown = true
    const reports: number[] = []
    for (let seconds = 0; seconds <= 130; seconds += 2) {
      expect((await client.tool(0, 'where')).status).toBe(200)
      const count = messagesOf(cluster).filter((message) =>
        message.startsWith('The engine that keeps the sessions failed'),
      ).length
      while (reports.length < count) reports.push(seconds)
      vi.advanceTimersByTime(2_000)
    }
    expect(reports).toEqual([0, 60, 120])
  })

  test('D002: after graceMs it is 503 with Retry-After, and 200 again once the engine is back', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const cluster = await start({ ...ALWAYS, graceMs: 30_000 })
    const client = await RawClient.open(cluster, 0)
    cluster.backend.isDown = true
    vi.advanceTimersByTime(29_000)
    expect((await client.tool(0, 'where')).status).toBe(200)
    vi.advanceTimersByTime(2_000)
    const refused = await client.tool(0, 'where')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    cluster.backend.isDown = false
    vi.advanceTimersByTime(1_001)
    expect((await client.tool(0, 'where')).status).toBe(200)
  })

  test('D002: an engine that is away costs one trip a second, not one for each request', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    await client.tool(0, 'where')
    cluster.backend.isDown = true
    const before = cluster.backend.trips.length
    for (let i = 0; i < 50; i += 1) expect((await client.tool(0, 'where')).status).toBe(200)
    expect(cluster.backend.trips.slice(before)).toHaveLength(1)
  })

  test('D003: a session that this node does not know is 503 with Retry-After, never 404', async () => {
    const cluster = await start()
    const client = await RawClient.open(cluster, 0)
    cluster.backend.isDown = true
    const responses = [await client.tool(1, 'where'), await client.get(1), await client.delete(1)]
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(responses.map(({ headers }) => headers.get('retry-after'))).toEqual(['10', '10', '10'])
    expect((await errorOf(responses[0]!)).message).toBe('The server cannot look up sessions now. Try again later.')
  })

  test.each(['records.put', 'limits.hold'])(
    'D004: initialize without %s is 503, no session and no place',
    async (failing) => {
      const cluster = await start({ maxPerPrincipal: 1, max: 1 })
      const client = new RawClient(cluster, { user: 'alice' })
      cluster.backend.failing = failing
      const refused = await client.initialize(0)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
      expect(refused.headers.get('mcp-session-id')).toBeNull()
      expect(sessionKeys(cluster)).toEqual([])
      cluster.backend.failing = undefined
      await expect.poll(async () => (await client.initialize(0)).status).toBe(200)
    },
  )

  test('a change of a session that others overtake is tried 8 times, and an error after that', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    const [key = ''] = sessionKeys(cluster)
    await expect.poll(() => cluster.backend.peek(key)?.value).toContain('"isInitialized":true')
    const { put } = cluster.backend.records
    let overtaken = 0
    let tries = 0
    cluster.backend.records.put = async (name, value, options) => {
      if (name !== key) return put(name, value, options)
      tries += 1
      // Another node was faster: the record is the same, and has another revision.
      if (tries <= overtaken) await put(name, cluster.backend.peek(name)?.value ?? '', { ttlMs: 60_000 })
      return put(name, value, options)
    }
    overtaken = 7
    expect((await client.request(0, 'logging/setLevel', { level: 'error' })).status).toBe(200)
    expect(tries).toBe(8)
    expect(await textOf(await client.tool(0, 'state'))).toContain('"error"')
    tries = 0
    overtaken = Number.POSITIVE_INFINITY
    const response = await client.request(0, 'logging/setLevel', { level: 'debug' })
    const message = 'The server could not store this for the session. Try again later.'
    expect(await errorOf(response)).toEqual({ code: -32603, message })
    expect(tries).toBe(8)
    expect(await textOf(await client.tool(0, 'state'))).toContain('"error"')
  })

  test('D004: a change that cannot be stored is an error, and holds on no node', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    await client.tool(1, 'where')
    await client.request(0, 'logging/setLevel', { level: 'error' })
    cluster.backend.failing = 'records.put'
    const response = await client.request(1, 'logging/setLevel', { level: 'debug' })
    const message = 'The server could not store this for the session. Try again later.'
    expect(await errorOf(response)).toEqual({ code: -32603, message })
    for (const node of [0, 1, 2]) expect(await textOf(await client.tool(node, 'state'))).toContain('"error"')
  })

  test('D009: an engine that was restarted empty makes sessions 404, and clients begin anew', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    const own = await connectClient(cluster.fetch)
    cluster.backend.wipe()
    for (const node of [0, 1, 2]) expect((await client.tool(node, 'where')).status).toBe(404)
    expect(cluster.nodes[0]?.handler.sessionCount).toBeLessThanOrEqual(1)
    const { isError } = await own.callTool('where')
    expect(isError).not.toBe(true)
  })

  test('D009: a node that only holds the stream of a lost session, or waits for an answer, ends both without a request', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    const cluster = await start()
    const client = await RawClient.open(cluster, 0, { capabilities: { elicitation: {} } })
    const kept = await RawClient.open(cluster, 1)
    const streams = [await client.get(1), await client.tool(0, 'ask'), await kept.get(1)].map(
      (response) => new StreamReader(response),
    )
    const [listening, asking, other] = streams as [StreamReader, StreamReader, StreamReader]
    expect(await asking.next()).toMatchObject({ method: 'elicitation/create' })
    let isOtherOpen = true
    const otherEnd = other.next().then(() => {
      isOtherOpen = false
    })
    const lost = sessionKeys(cluster)[0]!
    await cluster.backend.records.delete(lost)
    await vi.advanceTimersByTimeAsync(21_000)
    expect(await listening.next()).toBeUndefined()
    expect(await asking.next()).toMatchObject({ error: { code: -32603, message: 'The connection is closing' } })
    expect(isOtherOpen).toBe(true)
    await other.cancel()
    await otherEnd
  })

  test('D010: a record of a second ago gives the former level; nothing of another session', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    const other = await RawClient.open(cluster, 0)
    await client.request(0, 'logging/setLevel', { level: 'error' })
    await other.request(0, 'logging/setLevel', { level: 'alert' })
    const key = sessionKeys(cluster).find((one) => cluster.backend.peek(one)?.value.includes('"error"')) ?? ''
    const older = cluster.backend.peek(key)?.value ?? ''
    await client.request(0, 'logging/setLevel', { level: 'debug' })
    cluster.backend.plant(key, older)
    expect(await textOf(await client.tool(0, 'state'))).toContain('"error"')
    expect(await textOf(await other.tool(1, 'state'))).toContain('"alert"')
  })

  test('D045: a record that is garbage, cut or of another kind counts as absent, and is reported', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    const [key = ''] = sessionKeys(cluster)
    const good = cluster.backend.peek(key)?.value ?? ''
    const record = JSON.parse(good) as JSONObject
    const bad = [
      '',
      'garbage',
      good.slice(0, -10),
      JSON.stringify({ ...record, v: 'x' }),
      JSON.stringify({ ...record, params: { clientInfo: 'x' } }),
      JSON.stringify({ ...record, version: '2026-07-28' }),
      JSON.stringify({ ...record, logLevel: 'loud' }),
      JSON.stringify({ ...record, watched: [1] }),
      JSON.stringify({ ...record, streamKey: '*' }),
      JSON.stringify({ ...record, listening: { node: '*', stream: 'x', turn: 1 } }),
    ]
    for (const value of bad) {
      cluster.backend.plant(key, value)
      expect([(await client.tool(0, 'where')).status, (await client.tool(1, 'where')).status]).toEqual([404, 404])
      cluster.backend.plant(key, good)
      expect((await client.tool(1, 'where')).status).toBe(200)
    }
    expect(messagesOf(cluster)).toContain('The record of a session is corrupt. The session has ended.')
  })

  test('D046: a record of a newer data version is 503 and left untouched', async () => {
    const cluster = await start(ALWAYS)
    const client = await RawClient.open(cluster, 0)
    const [key = ''] = sessionKeys(cluster)
    const newer = JSON.stringify({ v: 2, everything: 'else' })
    cluster.backend.plant(key, newer)
    for (const node of [0, 1]) {
      const refused = await client.tool(node, 'where')
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    }
    expect(cluster.backend.peek(key)?.value).toBe(newer)
  })
})

test('a server without a backend has plain numbers for ids and no trips', async () => {
  const server = new MCPServer('alone')
  expect(coreOf(server.server).cluster).toBeUndefined()
})
