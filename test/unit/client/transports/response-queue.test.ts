// A server that sends requests faster than it accepts responses: few connections, bounded memory, a prompt close.
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import {
  MAX_POSTING_RESPONSES,
  MAX_WAITING_RESPONSES,
  ResponseQueue,
} from '../../../../src/client/transports/response-queue.ts'
import { sse } from '../../../../src/client/transports/sse.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { bodyOf, serveLocally } from '../../http/local-server.ts'

/** Beyond all that may be under way or wait. */
const MANY = 3_000

/** The stream of events, and those of the client's own messages. */
const OTHER_CONNECTIONS = 3

const ASKED = {
  'pings, each with an id of its own': (index: number) => ({ id: index, method: 'ping' }),
  'pings that share an id': () => ({ id: 'same', method: 'ping' }),
  'requests of a method that nobody knows': (index: number) => ({ id: index, method: 'unknown/method' }),
}

interface FloodOptions {
  readonly transport: 'streamable HTTP' | 'HTTP+SSE'
  readonly takesAnswers: boolean
  readonly ask: (index: number) => JSONObject
}

/** Asks all its questions when the tools are listed, and only then tells them. */
async function serveFlood({ transport, takesAnswers, ask }: FloodOptions) {
  const isOld = transport === 'HTTP+SSE'
  const counts = { answers: 0, mostConnections: 0 }
  let stream: ServerResponse | undefined
  const server = await serveLocally(async (request, response) => {
    if (request.method === 'GET') {
      if (!isOld) return response.writeHead(405).end()
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return stream.write('event: endpoint\ndata: /messages\n\n')
    }
    const message = JSON.parse(await bodyOf(request)) as JSONObject
    if (message['method'] === undefined) {
      counts.answers += 1
      counts.mostConnections = Math.max(counts.mostConnections, server.open.size)
      return takesAnswers ? response.writeHead(202).end() : undefined
    }
    if (message['id'] === undefined) return response.writeHead(202).end()
    const isListing = message['method'] === 'tools/list'
    const result = isListing
      ? { tools: [] }
      : { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'flood', version: '1' } }
    const events = isListing ? Array.from({ length: MANY }, (_, index) => ({ jsonrpc: '2.0', ...ask(index) })) : []
    const text = [...events, { jsonrpc: '2.0', id: message['id'], result }]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('')
    if (!isOld) return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
    response.writeHead(202).end()
    return stream?.write(text)
  })
  const faults: Fault[] = []
  const target = isOld ? sse(`${server.origin}/sse`) : streamableHttp(`${server.origin}/mcp`)
  const client = await Client.connect(target, { mode: 'legacy', onFault: (fault) => faults.push(fault) })
  onTestFinished(() => client.close())
  return { client, counts, faults }
}

describe.each(['streamable HTTP', 'HTTP+SSE'] as const)('over %s', (transport) => {
  it.each(Object.entries(ASKED))(
    'a flood of %s is answered by 16 connections at most, also while closing',
    async (_what, ask) => {
      const { client, counts } = await serveFlood({ transport, takesAnswers: true, ask })
      await client.listTools()
      await client.close()
      expect(counts.answers).toBeGreaterThan(0)
      expect(counts.mostConnections).toBeLessThanOrEqual(MAX_POSTING_RESPONSES + OTHER_CONNECTIONS)
    },
  )

  it.each(Object.entries(ASKED))(
    'responses to %s that the server never accepts are dropped by close()',
    async (_what, ask) => {
      const { client, counts, faults } = await serveFlood({ transport, takesAnswers: false, ask })
      await client.listTools()
      await vi.waitFor(() => expect(counts.answers).toBe(MAX_POSTING_RESPONSES))
      await client.close()
      expect(counts.answers).toBe(MAX_POSTING_RESPONSES)
      const dropped = faults.filter(({ message }) => message.includes('does not accept responses as fast'))
      expect(dropped.length).toBeLessThanOrEqual(1)
    },
  )
})

describe('ResponseQueue', () => {
  function createQueue() {
    const posted: string[] = []
    const full: number[] = []
    let taken = createDeferred()
    const queue = new ResponseQueue({
      post: (body) => {
        posted.push(body)
        return taken.promise
      },
      onFull: (waiting) => full.push(waiting),
    })
    const take = () => {
      const { resolve } = taken
      taken = createDeferred()
      resolve()
    }
    return { queue, posted, full, take }
  }

  it('posts in the order of sending, with a limit on concurrent posts', async () => {
    const { queue, posted, take } = createQueue()
    const bodies = Array.from({ length: 2 * MAX_POSTING_RESPONSES }, (_, index) => String(index))
    const sending = bodies.map((body) => queue.send(body))
    expect(posted).toEqual(bodies.slice(0, MAX_POSTING_RESPONSES))
    take()
    await sending[0]
    take()
    await Promise.all(sending)
    await queue.whenIdle()
    expect(posted).toEqual(bodies)
    expect(queue.size).toBe(0)
  })

  it('drops responses over the limit on their number, and reports it once', async () => {
    const { queue, full } = createQueue()
    for (let index = 0; index < MAX_POSTING_RESPONSES + MAX_WAITING_RESPONSES; index += 1) void queue.send('x')
    expect(full).toEqual([])
    await queue.send('dropped')
    await queue.send('dropped too')
    expect(full).toEqual([MAX_WAITING_RESPONSES])
    expect(queue.size).toBe(MAX_POSTING_RESPONSES + MAX_WAITING_RESPONSES)
  })

  it('drops responses over the limit on their length, but accepts one of any length', async () => {
    const { queue, full } = createQueue()
    for (let index = 0; index < MAX_POSTING_RESPONSES; index += 1) void queue.send('x')
    void queue.send('x'.repeat(64 * 1024 * 1024 + 1))
    expect(full).toEqual([])
    await queue.send('x')
    expect(full).toEqual([1])
  })

  it('drops what waits when it is closed, and posts nothing after that', async () => {
    const { queue, posted, take } = createQueue()
    const sending = Array.from({ length: 2 * MAX_POSTING_RESPONSES }, () => queue.send('x'))
    queue.close()
    await sending.at(-1)
    await queue.send('late')
    take()
    await Promise.all(sending)
    expect(posted).toHaveLength(MAX_POSTING_RESPONSES)
  })
})
