// Questions to a client and its answers, progress and cancellations, when each request reaches another node.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred, type Deferred } from '../../src/primitives/async/promises.ts'
import { serverOf } from '../../src/server/http/handler.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { connectClient, type NodeParts, RawClient, StreamReader, startCluster, type TestCluster } from './cluster.ts'

interface Watched {
  readonly aborted: string[]
  readonly progress: number[]
  readonly started: Deferred<void>[]
}

function createServer(watched: Watched) {
  return ({ backend, onFault, index }: NodeParts): MCPServer => {
    const server = new MCPServer('routing', { backend, onFault })
    server.tool('ask', async (_, ctx) => {
      const onProgress = ({ progress }: { progress: number }) => void watched.progress.push(progress)
      const schema = { type: 'object', properties: { name: { type: 'string' } } } as const
      const { content } = await ctx.session.elicitForm('Name?', schema, { onProgress })
      return `${String(content?.['name'])} at node ${index}`
    })
    server.tool('wait', async (_, ctx) => {
      watched.started.shift()?.resolve()
      await new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => {
          watched.aborted.push(String((ctx.signal.reason as Error).message))
          reject(ctx.signal.reason)
        })
      })
      return 'never'
    })
    return server
  }
}

async function start(started: Deferred<void>[] = []): Promise<{ cluster: TestCluster; watched: Watched }> {
  const watched: Watched = { aborted: [], progress: [], started }
  return { cluster: await startCluster(createServer(watched)), watched }
}

const ASKABLE = { capabilities: { elicitation: {} } }

/** Calls `ask` at a node and reads its question. */
async function ask(client: RawClient, node: number) {
  const response = await client.tool(node, 'ask')
  const stream = new StreamReader(response)
  const question = (await stream.next()) as { id: string; method: string; params: JSONObject }
  return { stream, question }
}

function answer(id: unknown, name: string): JSONObject {
  return { jsonrpc: '2.0', id: id as string, result: { action: 'accept', content: { name } } }
}

function textIn(message: JSONObject | undefined): unknown {
  return (message as { result?: { content: { text: string }[] } })?.result?.content[0]?.text
}

function publishes(cluster: TestCluster): string[] {
  return cluster.backend.trips.filter((trip) => trip.startsWith('topics.publish'))
}

afterEach(() => {
  vi.useRealTimers()
})

describe('questions to the client', () => {
  test('D025: 40 of 40 elicitations of our client behind a round-robin balancer are answered', async () => {
    const { cluster } = await start()
    let asked = 0
    const client = await connectClient(cluster.fetch, {
      onElicitation: () => {
        asked += 1
        return { action: 'accept', content: { name: `user ${asked}` } }
      },
    })
    const texts: string[] = []
    for (let i = 0; i < 40; i += 1) {
      const { content } = await client.callTool('ask')
      texts.push((content[0] as { text: string }).text)
    }
    expect(texts.map((text) => text.replace(/ at node .*/, ''))).toEqual(
      Array.from({ length: 40 }, (_, i) => `user ${i + 1}`),
    )
    // Each answer came to another node than the one that asked, and was passed on once.
    const routed = cluster.nodes.map(({ server }) => serverOf(server).cluster?.routed ?? 0)
    expect(routed.reduce((sum, count) => sum + count, 0)).toBe(40)
  })

  test('D025: the answer lands on another node: the call settles once, and that node says 202', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const { stream, question } = await ask(client, 0)
    expect(question.id).toMatch(new RegExp(`^${cluster.nodes[0]?.id}\\.[0-9]+$`))
    expect((await client.post(2, answer(question.id, 'Ada'))).status).toBe(202)
    expect(textIn(await stream.next())).toBe('Ada at node 0')
    // Once more, at two nodes: nobody waits for it, and nothing happens.
    expect((await client.post(1, answer(question.id, 'Eve'))).status).toBe(202)
    expect((await client.post(0, answer(question.id, 'Eve'))).status).toBe(202)
    expect(await stream.next()).toBeUndefined()
    await expect.poll(() => cluster.faults.filter(({ kind }) => kind === 'unmatched-response').length).toBe(2)
  })

  test('an error as the answer takes the same way', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const { stream, question } = await ask(client, 1)
    const refusal = { jsonrpc: '2.0', id: question.id, error: { code: -32603, message: 'No window.' } }
    expect((await client.post(0, refusal)).status).toBe(202)
    expect(JSON.stringify(await stream.next())).toContain('"isError":true')
  })

  test('an answer of several megabytes takes the same way', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const { stream, question } = await ask(client, 0)
    const name = 'é'.repeat(1_500_000)
    expect((await client.post(1, answer(question.id, name))).status).toBe(202)
    expect(String(textIn(await stream.next())).length).toBe(name.length + ' at node 0'.length)
  })

  test('D026: an answer for a node that is gone, or that never was, is 202 and one publish at most', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const before = publishes(cluster).length
    for (const id of ['aaaaaaaaaaaa.1', `${'a'.repeat(12)}.${'9'.repeat(16)}`]) {
      expect((await client.post(1, answer(id, 'x'))).status).toBe(202)
    }
    expect(publishes(cluster).length).toBe(before + 2)
    const forged = ['*.1', '../../../x.1', 'a'.repeat(1_000), 'aaaaaaaaaaaa.x', 'n.aaaaaaaaaa.1', 7, 'aaaaaaaaaaaa.']
    for (const id of forged) expect((await client.post(1, answer(id, 'x'))).status).toBe(202)
    expect(publishes(cluster).length).toBe(before + 2)
  })

  test('D026: an answer of another session changes nothing, whichever node it comes to', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const thief = await RawClient.open(cluster, 1, ASKABLE)
    const { stream, question } = await ask(client, 0)
    // The node that waits knows the other session, too.
    await thief.request(0, 'ping')
    for (const node of [0, 1, 2]) expect((await thief.post(node, answer(question.id, 'Eve'))).status).toBe(202)
    expect((await client.post(1, answer(question.id, 'Ada'))).status).toBe(202)
    expect(textIn(await stream.next())).toBe('Ada at node 0')
  })

  test('D027: an answer that cannot be passed on is 503; repeated, it settles the call once', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    await client.request(2, 'ping')
    const { stream, question } = await ask(client, 0)
    cluster.backend.failing = 'topics.publish'
    const refused = await client.post(2, answer(question.id, 'Ada'))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    cluster.backend.failing = undefined
    expect((await client.post(2, answer(question.id, 'Ada'))).status).toBe(202)
    expect((await client.post(1, answer(question.id, 'Ada'))).status).toBe(202)
    expect(textIn(await stream.next())).toBe('Ada at node 0')
    expect(await stream.next()).toBeUndefined()
  })

  test('D027: our client sends an answer again that could not be passed on, and the call ends with it', async () => {
    const { cluster } = await start()
    let posts = 0
    const client = await connectClient(
      async (input, init) => {
        const isAnswer = String(init?.body).includes('"action":"accept"')
        if (isAnswer) posts += 1
        cluster.backend.failing = isAnswer && posts === 1 ? 'topics.publish' : undefined
        return cluster.fetch(input, init)
      },
      { onElicitation: () => ({ action: 'accept', content: { name: 'Ada' } }) },
    )
    const { content } = await client.callTool('ask')
    expect((content[0] as { text: string }).text).toMatch(/^Ada at node/)
    expect(posts).toBe(2)
  })

  test('D027: an answer that the node of its question did not hear is passed on again', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    await client.request(2, 'ping')
    const { stream, question } = await ask(client, 0)
    cluster.backend.unheard = 1
    expect((await client.post(2, answer(question.id, 'Ada'))).status).toBe(202)
    expect(textIn(await stream.next())).toBe('Ada at node 0')
  })

  test('D027: an answer that the node of its question never hears is 503, not 202', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    await client.request(2, 'ping')
    const { stream, question } = await ask(client, 0)
    cluster.backend.unheard = Number.POSITIVE_INFINITY
    expect((await client.post(2, answer(question.id, 'Ada'))).status).toBe(503)
    cluster.backend.unheard = 0
    expect((await client.post(2, answer(question.id, 'Ada'))).status).toBe(202)
    expect(textIn(await stream.next())).toBe('Ada at node 0')
  })

  test('progress of the client reaches the node that asked, before the answer', async () => {
    const { cluster, watched } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const { stream, question } = await ask(client, 0)
    const { progressToken } = question.params['_meta'] as JSONObject
    expect(progressToken).toBe(question.id)
    for (const progress of [1, 2, 3]) {
      const params = { progressToken: progressToken as string, progress }
      const response = await client.post(1 + (progress % 2), {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params,
      })
      expect(response.status).toBe(202)
    }
    await client.post(2, answer(question.id, 'Ada'))
    expect(textIn(await stream.next())).toBe('Ada at node 0')
    expect(watched.progress).toEqual([1, 2, 3])
  })

  test('a batch with an answer for another node and a request of its own is served by both', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, { ...ASKABLE, version: '2025-03-26' })
    const watchedSession = await RawClient.open(cluster, 0, ASKABLE)
    const { stream, question } = await ask(watchedSession, 0)
    const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' }
    const response = await client.post(1, [answer(question.id, 'Eve'), ping])
    expect(await response.json()).toEqual([{ jsonrpc: '2.0', id: 'p', result: {} }])
    // That was another session's answer: the call still waits.
    await watchedSession.post(2, answer(question.id, 'Ada'))
    expect(textIn(await stream.next())).toBe('Ada at node 0')
    expect((await client.post(2, [answer(question.id, 'Eve')])).status).toBe(202)
  })

  test('a message that was forged in the engine is no request, and reaches no other session', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0, ASKABLE)
    const { stream, question } = await ask(client, 0)
    const key = cluster.backend.keys().find((one) => one.startsWith('s.')) ?? ''
    const session = key.slice(2)
    const from = cluster.nodes[1]?.id
    const inject = (body: unknown) => {
      const text = JSON.stringify({ v: 1, kind: 'session-message', from, body })
      cluster.backend.inject(`n.${cluster.nodes[0]?.id}`, text)
    }
    inject(null)
    inject({ session: 'x', message: answer(question.id, 'Eve') })
    inject({ session, message: null })
    inject({ session, message: { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'wait' } } })
    inject({ session, message: { jsonrpc: '2.0', id: `${from}.1`, result: {} } })
    await client.post(1, answer(question.id, 'Ada'))
    expect(textIn(await stream.next())).toBe('Ada at node 0')
  })
})

describe('cancellation', () => {
  test('D028: on another node than the call it aborts the handler, within one message', async () => {
    const started = createDeferred()
    const { cluster, watched } = await start([started])
    const client = await RawClient.open(cluster, 0)
    const waiting = client.tool(1, 'wait', {}, 'w')
    await started.promise
    const before = publishes(cluster).length
    const params = { requestId: 'w', reason: 'The user left.' }
    expect((await client.post(2, { jsonrpc: '2.0', method: 'notifications/cancelled', params })).status).toBe(202)
    expect(JSON.stringify(await (await waiting).json())).toContain('cancelled')
    expect(watched.aborted).toEqual(['The user left.'])
    expect(publishes(cluster).length).toBe(before + 1)
  })

  test('D028: on the node of the call it costs no message', async () => {
    const started = createDeferred()
    const { cluster, watched } = await start([started])
    const client = await RawClient.open(cluster, 0)
    const waiting = client.tool(1, 'wait', {}, 7)
    await started.promise
    const before = publishes(cluster).length
    await client.post(1, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    await waiting
    expect(watched.aborted).toHaveLength(1)
    expect(publishes(cluster).length).toBe(before)
  })

  test('D028: of another session it aborts nothing', async () => {
    const started = createDeferred()
    const { cluster, watched } = await start([started])
    const client = await RawClient.open(cluster, 0)
    const other = await RawClient.open(cluster, 1)
    const waiting = client.tool(1, 'wait', {}, 'w')
    await started.promise
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } }
    for (const node of [0, 1, 2]) await other.post(node, cancel)
    await client.request(1, 'ping')
    expect(watched.aborted).toEqual([])
    await client.post(0, cancel)
    await waiting
    expect(watched.aborted).toHaveLength(1)
  })

  test('D028: at most 20 in a second are passed on for a session; the rest is dropped and reported', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0)
    const before = publishes(cluster).length
    const cancel = (requestId: number) =>
      client.post(0, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    for (let i = 0; i < 50; i += 1) expect((await cancel(i)).status).toBe(202)
    expect(publishes(cluster).length).toBe(before + 20)
    expect(cluster.faults.filter(({ kind }) => kind === 'overflow').length).toBe(30)
    vi.advanceTimersByTime(1_000)
    await cancel(99)
    expect(publishes(cluster).length).toBe(before + 21)
  })
})
