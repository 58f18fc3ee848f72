// Streams that are reopened again and again: delays grow, and start over only after a stable connection.
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { watchLists } from '../../../../src/client/group/list-watch.ts'
import type { Subscription } from '../../../../src/client/subscriptions/subscription.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { LATEST_LEGACY_VERSION } from '../../../../src/types/protocol/versions.ts'
import {
  type Answer,
  accepted,
  ENDPOINT,
  EventBody,
  never,
  refused,
  result,
  ScriptedHttp,
  type SeenRequest,
  TEXT,
} from './scripted-http.ts'

const MINUTE = 60_000

afterEach(() => {
  vi.useRealTimers()
})

function announcing(request: SeenRequest, sessionId: string): Response {
  const value = {
    protocolVersion: LATEST_LEGACY_VERSION,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    serverInfo: { name: 'scripted', version: '1' },
  }
  return result(request, value, { 'mcp-session-id': sessionId })
}

/** A legacy server whose standalone stream answers by script; the number is that of the GET. */
async function connect(stream: (count: number, request: SeenRequest) => Answer, canRenew = () => true) {
  vi.useFakeTimers()
  const at: number[] = []
  const sessions: string[] = []
  const http = new ScriptedHttp((request) => {
    if (request.method === 'GET') {
      at.push(performance.now())
      return stream(at.length, request)
    }
    if (request.method === 'DELETE') return new Response(null, { status: 200 })
    if (request.message['method'] === 'initialize') {
      if (sessions.length > 0 && !canRenew()) return refused()
      sessions.push(`session-${sessions.length + 1}`)
      return announcing(request, sessions.at(-1)!)
    }
    return request.message['id'] === undefined ? accepted() : result(request, TEXT)
  })
  const faults: Fault[] = []
  const transport = streamableHttp(ENDPOINT, { fetch: http.fetch })
  const client = await Client.connect(transport, { mode: 'legacy', onFault: (fault) => faults.push(fault) })
  onTestFinished(() => client.close())
  const pauses = () => at.slice(1).map((time, index) => time - at[index]!)
  return { client, http, at, pauses, faults, sessions }
}

const ended = () => new EventBody().end().response
const isGrowing = (pauses: readonly number[]) =>
  pauses.every((pause, index) => pause >= Math.min(500 * 2 ** index, 30_000) / 2)

describe('the standalone stream of a session', () => {
  it('that the server ends at once is reopened with growing delays', async () => {
    const { at, pauses, faults } = await connect(ended)
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    // Half a second, doubled up to half a minute: some thirty to fifty tries, not twelve hundred.
    expect(at.length).toBeGreaterThan(15)
    expect(at.length).toBeLessThan(60)
    expect(isGrowing(pauses())).toBe(true)
    expect(faults).toEqual([])
  })

  it('is reopened after random delays, so that clients spread out', async () => {
    const { pauses } = await connect(ended)
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(new Set(pauses().slice(-10)).size).toBeGreaterThan(1)
  })

  it('that brings one message each time and ends is reopened with growing delays, too', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    const { at } = await connect((count) => new EventBody().send(message, `e${count}`).end().response)
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(at.length).toBeLessThan(60)
  })

  it('that was stable is reopened after a short delay, each time', async () => {
    let body: EventBody | undefined
    const { at, pauses } = await connect((count) => {
      if (count % 6 !== 0) return ended()
      body = new EventBody()
      return body.response
    })
    for (const round of [1, 2]) {
      await vi.advanceTimersByTimeAsync(MINUTE)
      expect(at).toHaveLength(6 * round)
      body!.end()
      await vi.advanceTimersByTimeAsync(500)
      expect(at).toHaveLength(6 * round + 1)
    }
    expect(pauses()[6]).toBeLessThan(1_001)
  })

  it('that is rejected with 409 is retried without limit', async () => {
    const { at, faults } = await connect((count, request) =>
      count <= 8 ? new Response(null, { status: 409 }) : never(request),
    )
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect(at).toHaveLength(9)
    expect(faults).toEqual([])
  })

  it('is not retried sooner than Retry-After asks for', async () => {
    const { pauses } = await connect((count, request) =>
      count === 1 ? new Response(null, { status: 429, headers: { 'retry-after': '20' } }) : never(request),
    )
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(pauses()).toHaveLength(1)
    expect(pauses()[0]).toBeGreaterThanOrEqual(20_000)
  })

  it('of a server that ends each session with its stream does not open sessions without delay', async () => {
    const { sessions } = await connect((count) => (count % 2 === 1 ? ended() : new Response(null, { status: 404 })))
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(sessions.length).toBeGreaterThan(5)
    expect(sessions.length).toBeLessThan(60)
  })

  it('is reopened however long the server was away, and its outage is reported once', async () => {
    const bodies: EventBody[] = []
    const open = () => {
      const body = new EventBody()
      bodies.push(body)
      return body.response
    }
    let isAway = true
    const { client, at, pauses, faults, sessions } = await connect((count) => {
      if (count === 1) return open()
      if (isAway) return refused()
      return sessions.length === 1 ? new Response(null, { status: 404 }) : open()
    })
    const subscription = await client.listen({ toolsListChanged: true })
    const events = subscription[Symbol.asyncIterator]()
    bodies[0]!.cut()
    await vi.advanceTimersByTimeAsync(30 * MINUTE)
    expect(at.length).toBeGreaterThan(50)
    expect(at.length).toBeLessThan(140)
    expect(isGrowing(pauses().slice(1))).toBe(true)
    expect(faults.map(({ message }) => message)).toEqual([
      'The stream for messages that belong to no request is down; the client keeps trying to reopen it',
    ])
    isAway = false
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(sessions).toHaveLength(2)
    bodies[1]!.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    const told = async () => {
      for (;;) {
        const next = await events.next()
        if (next.done === true || next.value.type === 'toolsListChanged') return next
      }
    }
    expect(await told()).toMatchObject({ done: false, value: { type: 'toolsListChanged' } })
    expect(subscription.isClosed).toBe(false)
  })

  it('of a new session subscribes again to the resources of subscribeResource that are still wanted', async () => {
    const { client, http, sessions } = await connect((count, request) => {
      if (count === 1) return ended()
      return sessions.length === 1 ? new Response(null, { status: 404 }) : never(request)
    })
    await client.subscribeResource('file:///kept')
    await client.subscribeResource('file:///left')
    await client.unsubscribeResource('file:///left')
    const before = http.sent('resources/subscribe').length
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(sessions).toHaveLength(2)
    const again = http.sent('resources/subscribe').slice(before)
    expect(again.map(({ message }) => message['params'])).toMatchObject([{ uri: 'file:///kept' }])
    expect(again[0]!.headers['mcp-session-id']).toBe('session-2')
  })

  it.each([400, 401, 500, 503])('that the server rejects for a while with %i is reopened', async (status) => {
    const { at, faults } = await connect((count, request) => {
      if (count === 1) return ended()
      return count <= 12 ? new Response(null, { status }) : never(request)
    })
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(at).toHaveLength(13)
    expect(faults).toHaveLength(1)
  })

  it('is retried while the session has expired and the server cannot open a new one', async () => {
    let isReady = false
    const { sessions, faults } = await connect(
      (count, request) => {
        if (count === 1) return ended()
        return sessions.length === 1 ? new Response(null, { status: 404 }) : never(request)
      },
      () => isReady,
    )
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(sessions).toHaveLength(1)
    expect(faults).toHaveLength(1)
    isReady = true
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(sessions).toHaveLength(2)
  })

  it('of a server that never had it is not retried', async () => {
    const { at, faults } = await connect(() => new Response(null, { status: 500 }))
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(at).toHaveLength(6)
    expect(faults.map(({ message }) => message)).toEqual([
      'The stream for messages that belong to no request is not available; requests still work',
    ])
  })
})

describe('the subscription of a group to list changes', () => {
  it('that ends at once with one event each time is retried with growing delays, and a limited number of times', async () => {
    vi.useFakeTimers()
    const at: number[] = []
    const onGivenUp = vi.fn()
    const watching = watchLists({
      filter: { toolsListChanged: true },
      signal: new AbortController().signal,
      isOver: () => false,
      async listen() {
        at.push(performance.now())
        return (async function* () {
          yield { type: 'toolsListChanged' }
        })() as unknown as Subscription
      },
      onEvent() {},
      onOpened() {},
      onGap() {},
      onGivenUp,
    })
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    await watching
    expect(onGivenUp).toHaveBeenCalledTimes(1)
    expect(at.length).toBeLessThan(10)
    expect(at.at(-1)! - at.at(-2)!).toBeGreaterThan(10_000)
  })
})

describe('a subscription', () => {
  it('that breaks off at once after each acknowledgement is reopened with growing delays', async () => {
    vi.useFakeTimers()
    const at: number[] = []
    const http = new ScriptedHttp((request) => {
      at.push(performance.now())
      const _meta = { 'io.modelcontextprotocol/subscriptionId': request.message['id'] }
      const params = { notifications: { toolsListChanged: true }, _meta }
      const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }
      return new EventBody().send(acknowledged).cut().response
    })
    const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch }), { mode: '2026-07-28' })
    onTestFinished(() => client.close())
    await client.listen({ toolsListChanged: true })
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(at.length).toBeGreaterThan(10)
    expect(at.length).toBeLessThan(70)
  })
})
