// What is opened again and again waits longer each time, and starts over only after it has lived.
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { Subscription } from '../../../../src/client/subscription.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { watchLists } from '../../../../src/client/watch-lists.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import {
  type Answer,
  accepted,
  ENDPOINT,
  EventBody,
  never,
  result,
  ScriptedHttp,
  type SeenRequest,
  TEXT,
  welcome,
} from './scripted-http.ts'

const MINUTE = 60_000

afterEach(() => {
  vi.useRealTimers()
})

/** A legacy server whose standalone stream answers by script; the number is that of the GET. */
async function connect(stream: (count: number, request: SeenRequest) => Answer) {
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
      sessions.push(`session-${sessions.length + 1}`)
      return welcome(request, sessions.at(-1))
    }
    return request.message['id'] === undefined ? accepted() : result(request, TEXT)
  })
  const faults: Fault[] = []
  const transport = streamableHttp(ENDPOINT, { fetch: http.fetch })
  const client = await Client.connect(transport, { mode: 'legacy', onFault: (fault) => faults.push(fault) })
  onTestFinished(() => client.close())
  const pauses = () => at.slice(1).map((time, index) => time - at[index]!)
  return { at, pauses, faults, sessions }
}

const ended = () => new EventBody().end().response
const isGrowing = (pauses: readonly number[]) =>
  pauses.every((pause, index) => pause >= Math.min(500 * 2 ** index, 30_000) / 2)

describe('the standalone stream of a session', () => {
  it('that the server ends at once is opened again with growing pauses, not for ever at the same pace', async () => {
    const { at, pauses, faults } = await connect(ended)
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    // Half a second, doubled up to half a minute: some thirty to fifty tries, not twelve hundred.
    expect(at.length).toBeGreaterThan(15)
    expect(at.length).toBeLessThan(60)
    expect(isGrowing(pauses())).toBe(true)
    expect(faults).toEqual([])
  })

  it('does not come back at the same moment as all the others: the pauses are not all the same', async () => {
    const { pauses } = await connect(ended)
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(new Set(pauses().slice(-10)).size).toBeGreaterThan(1)
  })

  it('that brings a message each time and ends at once is slowed down as well', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    const { at } = await connect((count) => new EventBody().send(message, `e${count}`).end().response)
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(at.length).toBeLessThan(60)
  })

  it('that has lived starts over with a short pause, and the second time as well', async () => {
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

  it('that is refused with 409 is tried again, for as long as that takes', async () => {
    const { at, faults } = await connect((count, request) =>
      count <= 8 ? new Response(null, { status: 409 }) : never(request),
    )
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect(at).toHaveLength(9)
    expect(faults).toEqual([])
  })

  it('is not asked for sooner than a refusal says', async () => {
    const { pauses } = await connect((count, request) =>
      count === 1 ? new Response(null, { status: 429, headers: { 'retry-after': '20' } }) : never(request),
    )
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(pauses()).toHaveLength(1)
    expect(pauses()[0]).toBeGreaterThanOrEqual(20_000)
  })

  it('of a server that forgets each session as soon as it has a stream does not make sessions without pause', async () => {
    const { sessions } = await connect((count) => (count % 2 === 1 ? ended() : new Response(null, { status: 404 })))
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(sessions.length).toBeGreaterThan(5)
    expect(sessions.length).toBeLessThan(60)
  })
})

describe('the subscription of a group to list changes', () => {
  it('that ends at once with one event each time is slowed down, and given up in the end', async () => {
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
  it('that is acknowledged and cut at once each time is opened anew with growing pauses', async () => {
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
