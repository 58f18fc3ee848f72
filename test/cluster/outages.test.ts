// Questions to a client while the engine, or the way to one node, is away: nobody waits for an answer that was lost.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { type NodeParts, RawClient, StreamReader, startCluster, type TestCluster } from './cluster.ts'
import { faultyBackend } from './faulty-backend.ts'

const SCHEMA = { type: 'object', properties: { name: { type: 'string' } } } as const
/** Longer than any outage here: whoever waits for it waits for nothing. */
const PATIENCE = { timeoutMs: 60 * 60_000 }

/** `gate` holds the tool back before it asks; `errors` are what its question failed with. */
function createServer(gate: Promise<void> | undefined, errors: unknown[]) {
  return ({ backend, onFault, index }: NodeParts): MCPServer => {
    const server = new MCPServer('outages', { backend, onFault })
    server.tool('ask', async (_, ctx) => {
      if (gate !== undefined) {
        ctx.http?.closeStream()
        await gate
      }
      try {
        const { content } = await ctx.session.elicitForm('Name?', SCHEMA, PATIENCE)
        return `${String(content?.['name'])} at node ${index}`
      } catch (error) {
        errors.push(error)
        throw error
      }
    })
    return server
  }
}

interface Started {
  readonly cluster: TestCluster
  readonly errors: unknown[]
}

async function start(gate?: Promise<void>): Promise<Started> {
  const errors: unknown[] = []
  const backend = faultyBackend({ clock: { now: () => performance.now() } })
  return { cluster: await startCluster(createServer(gate, errors), { backend }), errors }
}

const ASKABLE = { capabilities: { elicitation: {} } }

async function ask(client: RawClient, node: number) {
  const stream = new StreamReader(await client.tool(node, 'ask'))
  const question = (await stream.next()) as { id: string }
  return { stream, question }
}

function answer(id: string, name: string): JSONObject {
  return { jsonrpc: '2.0', id, result: { action: 'accept', content: { name } } }
}

function textIn(message: JSONObject | undefined): unknown {
  return (message as { result?: { content: { text: string }[] } })?.result?.content[0]?.text
}

/** Time passes for the nodes and the engine while the request is under way. */
async function passing<T>(work: Promise<T>, ms = 3_000): Promise<T> {
  const [done] = await Promise.all([work, vi.advanceTimersByTimeAsync(ms)])
  return done
}

function unmatched({ faults }: TestCluster): number {
  return faults.filter(({ kind }) => kind === 'unmatched-response').length
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('an answer for another node', () => {
  test('D006: arrives although the record of that node expired while the engine was away, and its inbox comes back last', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    await client.request(2, 'ping')
    const { stream, question } = await ask(client, 0)
    cluster.backend.isDown = true
    await vi.advanceTimersByTimeAsync(20_000)
    expect(cluster.backend.peek(`n.${cluster.nodes[0]?.id}`)).toBeUndefined()
    cluster.backend.isDown = false
    cluster.backend.unheard = Infinity
    expect((await passing(client.post(2, answer(question.id, 'Ada')))).status).toBe(503)
    cluster.backend.unheard = 0
    expect(textIn(await passing(stream.next()))).toBe('Ada at node 0')
    expect(unmatched(cluster)).toBe(0)
  })

  test('D006: every node is known again within 5 seconds after an outage of 10 s, 60 s and 10 min', async () => {
    const { cluster } = await start()
    for (const ms of [10_000, 60_000, 600_000]) {
      cluster.backend.isDown = true
      await vi.advanceTimersByTimeAsync(ms)
      cluster.backend.isDown = false
      await vi.advanceTimersByTimeAsync(5_000)
      for (const { id } of cluster.nodes) expect(cluster.backend.peek(`n.${id}`)).toBeDefined()
    }
  })

  test('arrives where only that node was cut off, so that the others took it for lost', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    await client.request(2, 'ping')
    const { stream, question } = await ask(client, 0)
    cluster.backend.unheard = Infinity
    await cluster.backend.records.delete(`n.${cluster.nodes[0]?.id}`)
    expect((await passing(client.post(2, answer(question.id, 'Ada')))).status).toBe(202)
    cluster.backend.unheard = 0
    // Its connection is back, which it says to all others.
    cluster.backend.breakTopics()
    expect(textIn(await stream.next())).toBe('Ada at node 0')
  })

  test('D027: arrives once the engine is back, although the client does not send it again after 503', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    await client.request(2, 'ping')
    const { stream, question } = await ask(client, 0)
    cluster.backend.failing = 'topics.publish'
    expect((await passing(client.post(2, answer(question.id, 'Ada')))).status).toBe(503)
    await vi.advanceTimersByTimeAsync(30_000)
    cluster.backend.failing = undefined
    expect(textIn(await passing(stream.next(), 35_000))).toBe('Ada at node 0')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(unmatched(cluster)).toBe(0)
  })

  test('D027: a client that sends it again meanwhile settles the question, and what was kept is forgotten', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    await client.request(2, 'ping')
    const { stream, question } = await ask(client, 0)
    cluster.backend.failing = 'topics.publish'
    expect((await passing(client.post(2, answer(question.id, 'Ada')), 10)).status).toBe(503)
    cluster.backend.failing = undefined
    expect((await passing(client.post(2, answer(question.id, 'Ada')), 10)).status).toBe(202)
    expect(textIn(await stream.next())).toBe('Ada at node 0')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(unmatched(cluster)).toBe(0)
  })

  test('arrives in an outage longer than graceMs: at the node that waits at once, elsewhere once the engine is back', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const [one, other] = [await ask(client, 0), await ask(client, 0)]
    cluster.backend.isDown = true
    await vi.advanceTimersByTimeAsync(40_000)
    expect((await client.request(0, 'ping')).status).toBe(503)
    expect((await client.post(0, answer(one.question.id, 'Ada'))).status).toBe(202)
    expect(textIn(await one.stream.next())).toBe('Ada at node 0')
    // This node has never seen the session.
    expect((await client.post(1, answer(other.question.id, 'Bob'))).status).toBe(503)
    await vi.advanceTimersByTimeAsync(10_000)
    cluster.backend.isDown = false
    expect(textIn(await passing(other.stream.next(), 35_000))).toBe('Bob at node 0')
  })

  test('of another caller is not taken, although nobody can look the session up', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, { ...ASKABLE, user: 'ada' })
    const thief = new RawClient(cluster, { user: 'eve' })
    thief.sessionId = client.sessionId
    const { stream, question } = await ask(client, 0)
    cluster.backend.isDown = true
    await vi.advanceTimersByTimeAsync(40_000)
    expect((await thief.post(1, answer(question.id, 'Eve'))).status).toBe(503)
    expect((await thief.post(0, answer(question.id, 'Eve'))).status).toBe(404)
    cluster.backend.isDown = false
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await client.post(2, answer(question.id, 'Ada'))).status).toBe(202)
    expect(textIn(await stream.next())).toBe('Ada at node 0')
  })

  test('is kept for 16 questions of a session at most, and not for a node that has closed', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    await client.request(2, 'ping')
    cluster.backend.failing = 'topics.publish'
    for (let i = 0; i < 20; i += 1) await client.post(2, answer(`aaaaaaaaaaaa.${i}`, 'x'))
    expect(cluster.faults.filter(({ kind }) => kind === 'overflow')).toHaveLength(4)
    cluster.backend.failing = undefined
    await vi.advanceTimersByTimeAsync(15_000)
    const before = cluster.backend.trips.length
    await vi.advanceTimersByTimeAsync(120_000)
    const late = cluster.backend.trips.slice(before).filter((trip) => trip.includes('aaaaaaaaaaaa'))
    expect(late).toEqual([])
  })
})

describe('a question whose event cannot be stored', () => {
  test('goes out on the connection of its call, and is answered', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    cluster.backend.failing = 'logs.append'
    const { stream, question } = await ask(client, 0)
    cluster.backend.failing = undefined
    expect((await client.post(1, answer(question.id, 'Ada'))).status).toBe(202)
    expect(textIn(await stream.next())).toBe('Ada at node 0')
  })

  test('fails at once where the client is not connected: the handler does not wait for an answer that cannot come', async () => {
    const gate = createDeferred<void>()
    const { cluster, errors } = await start(gate.promise)
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const response = await client.tool(0, 'ask')
    await new StreamReader(response).next()
    cluster.backend.failing = 'logs.append'
    gate.resolve()
    await vi.advanceTimersByTimeAsync(0)
    await vi.waitFor(() => expect(errors).toHaveLength(1))
    expect(errors[0]).toMatchObject({
      code: -32603,
      message: 'The server could not send its question to the client. Try again later.',
    })
  })

  test('on the stream of the session fails at once, too', async () => {
    const errors: unknown[] = []
    const backend = faultyBackend({ clock: { now: () => performance.now() } })
    const cluster = await startCluster(createServer(undefined, errors), { backend, handler: { responseMode: 'json' } })
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const listening = await client.get(1)
    expect(listening.status).toBe(200)
    cluster.backend.failing = 'logs.post'
    const called = await client.tool(0, 'ask')
    expect(await called.text()).toContain('The server could not send its question to the client.')
    expect(errors).toHaveLength(1)
  })
})
