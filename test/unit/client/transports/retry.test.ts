// What a client retries while a server is away, and what it never sends twice.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { backoffDelay, parseReconnectOptions } from '../../../../src/client/transports/retry.ts'
import { type StreamableHttpOptions, streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { ConnectionEvent } from '../../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { readRetryAfter } from '../../../../src/http/retry-after.ts'
import { SubscriptionLost, TransportError } from '../../../../src/types/errors/failures.ts'
import { LATEST_MODERN_VERSION } from '../../../../src/types/protocol/versions.ts'
import {
  type Answer,
  answerTo,
  COMPLETE,
  ENDPOINT,
  EventBody,
  json,
  refused,
  result,
  ScriptedHttp,
  type SeenRequest,
} from './scripted-http.ts'

const FAST = { initialDelayMs: 1, maxDelayMs: 2 }

const TOOLS = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  tools: [
    { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    { name: 'set', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } },
    { name: 'buy', inputSchema: { type: 'object' } },
  ],
}

interface SetUp {
  client?: ClientOptions
  transport?: StreamableHttpOptions
}

/** A client whose server has answered once; from then on it does what the test says. */
async function connect(answer: (request: SeenRequest, count: number) => Answer, options: SetUp = {}) {
  let isUp = true
  let count = 0
  const usual = (request: SeenRequest) => result(request, request.message['method'] === 'tools/list' ? TOOLS : COMPLETE)
  const http = new ScriptedHttp((request) => {
    if (isUp) return usual(request)
    count += 1
    return answer(request, count)
  })
  const events: ConnectionEvent[] = []
  const faults: Fault[] = []
  const client = await Client.connect(
    streamableHttp(ENDPOINT, { fetch: http.fetch, reconnect: FAST, ...options.transport }),
    {
      mode: LATEST_MODERN_VERSION,
      cache: false,
      onConnection: (event) => void events.push(event),
      onFault: (fault) => void faults.push(fault),
      ...options.client,
    },
  )
  onTestFinished(() => client.close())
  await client.listTools()
  isUp = false
  http.requests.length = 0
  return { client, http, events, faults }
}

const down: [string, (request: SeenRequest) => Answer][] = [
  ['is refused', refused],
  ['is cut in the middle of the answer', () => new EventBody().write(': hi\n\n').cut().response],
  ['meets a proxy without a server', () => new Response('', { status: 502 })],
  ['meets a server that starts', () => new Response('', { status: 503 })],
  [
    'meets a server that asks to slow down, in JSON-RPC',
    (request) => json({ jsonrpc: '2.0', id: request.message['id'], error: { code: -32000, message: 'busy' } }, 429),
  ],
]

describe.each(down)('a request that %s', (_what, fail) => {
  const thenUp = (request: SeenRequest, count: number) =>
    count < 4 ? fail(request) : result(request, request.message['method'] === 'tools/list' ? TOOLS : COMPLETE)

  it('C-HTTP-12 is retried if it only reads, with a new id each time', async () => {
    const { client, http, events } = await connect(thenUp)
    await expect(client.listTools()).resolves.toMatchObject({ tools: TOOLS.tools })
    const ids = http.sent('tools/list').map(({ message }) => message['id'])
    expect(new Set(ids).size).toBe(4)
    expect(events.map(({ type }) => type)).toEqual(['open', 'degraded', 'recovered'])
  })

  it('R50 is not retried if it may change something', async () => {
    const { client, http } = await connect(thenUp)
    await expect(client.callTool('buy')).rejects.toThrow()
    await expect(client.callTool('look')).rejects.toThrow()
    await expect(client.getPrompt('p')).rejects.toThrow()
    expect(http.requests).toHaveLength(3)
  })

  it('is retried if the caller trusts tool annotations, and they allow it', async () => {
    const { client, http } = await connect(thenUp, { client: { repeatSafeTools: true } })
    await client.callTool('look')
    expect(http.sent('tools/call')).toHaveLength(4)
    await client.callTool('set')
  })

  it('R50 is not retried for other tools', async () => {
    const { client, http } = await connect(thenUp, { client: { repeatSafeTools: true } })
    await expect(client.callTool('buy')).rejects.toThrow()
    expect(http.requests).toHaveLength(1)
  })

  it('is retried if the caller allows it for this call, and not if the caller forbids it', async () => {
    const { client, http } = await connect(thenUp)
    await expect(client.listTools({ hints: { isRepeatable: false } })).rejects.toThrow()
    expect(http.requests).toHaveLength(1)
    await client.callTool('buy', {}, { hints: { isRepeatable: true } })
  })
})

describe('retries', () => {
  it('end at the deadline, with the last failure', async () => {
    const { client } = await connect(refused, { transport: { reconnect: { ...FAST, deadlineMs: 30 } } })
    await expect(client.listTools()).rejects.toBeInstanceOf(TransportError)
  })

  it('can be turned off', async () => {
    const { client, http } = await connect(refused, { transport: { reconnect: false } })
    await expect(client.listTools()).rejects.toBeInstanceOf(TransportError)
    expect(http.requests).toHaveLength(1)
  })

  it('end when the caller aborts, and when the client closes', async () => {
    const { client, http } = await connect(refused, {
      transport: { reconnect: { initialDelayMs: 60_000, deadlineMs: 1e9 } },
    })
    const controller = new AbortController()
    const call = client.listTools({ signal: controller.signal })
    await vi.waitFor(() => expect(http.requests).toHaveLength(1))
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    const other = client.listResources()
    await vi.waitFor(() => expect(http.requests).toHaveLength(2))
    await Promise.all([expect(other).rejects.toMatchObject({ code: -32000 }), client.close()])
    expect(http.requests).toHaveLength(2)
  })

  it('do not begin after a permanent error', async () => {
    const { client, http } = await connect(() => new Response('no', { status: 400 }))
    await expect(client.listTools()).rejects.toMatchObject({ status: 400 })
    expect(http.requests).toHaveLength(1)
  })
})

describe('F159 Retry-After', () => {
  it.each([
    ['3', 3_000],
    [' 0 ', 0],
    ['1000000000', 60_000],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 10_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
  ])('%j is %s ms', (text, expected) => {
    const parsed = readRetryAfter(text, 0)
    // What is no number may still be a date to some; none of them lies ahead.
    if (expected === undefined) expect(parsed === undefined || parsed <= 60_000).toBe(true)
    else expect(parsed).toBe(expected)
  })

  it('is respected by retries', async () => {
    const { client, http } = await connect((request, count) =>
      count === 1 ? new Response('', { status: 503, headers: { 'retry-after': '7' } }) : result(request, TOOLS),
    )
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const call = client.listTools()
    await vi.advanceTimersByTimeAsync(6_999)
    expect(http.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    await call
    expect(http.requests).toHaveLength(2)
  })
})

it('delays grow, stay within bounds, and differ', () => {
  const policy = parseReconnectOptions({ initialDelayMs: 100, maxDelayMs: 1_000 })
  const delays = Array.from({ length: 50 }, (_, n) => backoffDelay((n % 10) + 1, policy))
  for (const [n, delay] of delays.entries()) {
    const full = Math.min(100 * 2 ** (n % 10), 1_000)
    expect(delay).toBeGreaterThanOrEqual(full / 2)
    expect(delay).toBeLessThanOrEqual(full)
  }
  expect(new Set(delays).size).toBeGreaterThan(40)
})

describe('connection events', () => {
  it('end with closed, which has no reason if the caller closed', async () => {
    const { client, events } = await connect(refused)
    await client.close()
    expect(events).toEqual([{ type: 'open' }, { type: 'closed' }])
  })

  it('are reported although the listener throws', async () => {
    const faults: Fault[] = []
    const http = new ScriptedHttp((request) => result(request, COMPLETE))
    const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch }), {
      mode: LATEST_MODERN_VERSION,
      onConnection: () => {
        throw new Error('no')
      },
      onFault: (fault) => void faults.push(fault),
    })
    await client.callTool('x')
    await client.close()
    expect(faults.map(({ kind }) => kind)).toEqual(['callback-failed', 'callback-failed'])
  })
})

describe('a subscription', () => {
  const acknowledge = (request: SeenRequest, notifications: object) => ({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications, _meta: { 'io.modelcontextprotocol/subscriptionId': request.message['id'] } },
  })
  const changed = (request: SeenRequest) => ({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': request.message['id'] } },
  })
  const filter = { toolsListChanged: true, resourceSubscriptions: ['file:///a'] }

  it('F165 whose stream breaks off is reopened, and events that may have been missed are presumed', async () => {
    const bodies: EventBody[] = []
    const { client, http } = await connect((request, count) => {
      // The server is away for a moment.
      if (count === 2) return refused()
      const body = new EventBody().send(acknowledge(request, filter))
      bodies.push(body)
      return body.response
    })
    const subscription = await client.listen(filter)
    const firstId = subscription.subscriptionId
    bodies[0]?.cut()
    expect(await subscription.next()).toEqual({ done: false, value: { type: 'toolsListChanged', isPresumed: true } })
    expect(await subscription.next()).toEqual({
      done: false,
      value: { type: 'resourceUpdated', uri: 'file:///a', isPresumed: true },
    })
    expect(subscription.subscriptionId).not.toBe(firstId)
    bodies[1]?.send(changed(http.requests[2] as SeenRequest))
    expect(await subscription.next()).toEqual({ done: false, value: { type: 'toolsListChanged' } })
    bodies[1]
      ?.send(
        answerTo(http.requests[2] as SeenRequest, {
          resultType: 'complete',
          _meta: { 'io.modelcontextprotocol/subscriptionId': subscription.subscriptionId },
        }),
      )
      .end()
    expect(await subscription.next()).toEqual({ done: true, value: undefined })
    expect(http.requests).toHaveLength(3)
  })

  it('is lost with reopen: false', async () => {
    const { client, http } = await connect(
      (request) => new EventBody().send(acknowledge(request, filter)).cut().response,
    )
    const subscription = await client.listen(filter, { reopen: false })
    await expect(subscription.next()).rejects.toBeInstanceOf(SubscriptionLost)
    expect(http.requests).toHaveLength(1)
  })

  it('is lost if the server rejects it when it is reopened', async () => {
    const { client } = await connect((request, count) =>
      count === 1
        ? new EventBody().send(acknowledge(request, filter)).cut().response
        : json({ jsonrpc: '2.0', id: request.message['id'], error: { code: -32601, message: 'no' } }, 404),
    )
    const subscription = await client.listen(filter)
    await expect(subscription.next()).rejects.toBeInstanceOf(SubscriptionLost)
  })

  it('that is closed while it waits to be reopened stays closed', async () => {
    const { client, http, events } = await connect((request, count) =>
      count === 1 ? new EventBody().send(acknowledge(request, filter)).cut().response : refused(),
    )
    const subscription = await client.listen(filter)
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('degraded'))
    await subscription.close()
    expect(await subscription.next()).toEqual({ done: true, value: undefined })
    await client.close()
    expect(http.requests.length).toBeLessThan(4)
  })
})
