// Subscriptions: what the server grants, what the reader gets, and how they end.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { OwnedFilters } from '../../../../src/client/extensions/owned-filters.ts'
import { type ListeningSession, type ListenOptions, listen } from '../../../../src/client/subscriptions/listen.ts'
import type { SubscriptionRoute } from '../../../../src/client/subscriptions/routes.ts'
import type { ServerEvent } from '../../../../src/client/subscriptions/server-events.ts'
import { MAX_BACKLOG } from '../../../../src/client/subscriptions/subscription.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { ListenNotSupportedError, SubscriptionLost } from '../../../../src/types/errors/failures.ts'
import type { SubscriptionFilter } from '../../../../src/types/features/subscriptions.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import {
  LATEST_LEGACY_VERSION,
  LATEST_MODERN_VERSION,
  type ProtocolVersion,
} from '../../../../src/types/protocol/versions.ts'
import { settle } from '../../../support/peers.ts'

const TOOLS = 'notifications/tools/list_changed'
const PROMPTS = 'notifications/prompts/list_changed'
const UPDATED = 'notifications/resources/updated'

/** A session in the hands of the test: one listen request at a time. */
function createSession(protocolVersion: ProtocolVersion = LATEST_MODERN_VERSION) {
  const answer = createDeferred<JSONObject>()
  answer.promise.catch(() => {})
  const requests: {
    method: string
    params: JSONObject
    options: { requestId: string; timeoutMs: number; signal: AbortSignal }
  }[] = []
  const routes = new Map<string, SubscriptionRoute>()
  const session = {
    protocolVersion,
    filters: new OwnedFilters({ jobIds: { notification: 'com.example/job', keyParam: 'jobId' } }),
    routes: {
      add(id: string, route: SubscriptionRoute) {
        routes.set(id, route)
        return () => routes.delete(id)
      },
    },
    request(method: string, params: JSONObject, options: (typeof requests)[number]['options']) {
      requests.push({ method, params, options })
      options.signal.addEventListener('abort', () => answer.reject(options.signal.reason))
      return answer.promise
    },
  }
  const route = () => [...routes.values()].at(-1)!
  return { session: session as unknown as ListeningSession, requests, routes, route, answer }
}

const everything: SubscriptionFilter = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourceSubscriptions: ['file:///a'],
}

async function open(
  options: ListenOptions = {},
  filter = everything,
  honored = filter,
  beforeEvent?: (event: ServerEvent) => Promise<void>,
) {
  const fake = createSession()
  const opening = listen(fake.session, filter, options, { beforeEvent })
  fake.route().acknowledged(honored)
  return { ...fake, subscription: await opening }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('listen', () => {
  it('sends one request without a time limit, with an id of its own, and waits for the acknowledgement', async () => {
    const { session, requests, route } = createSession()
    let isOpen = false
    const opening = listen(session, { toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: [] })
    void opening.then(() => {
      isOpen = true
    })
    await settle()
    expect(isOpen).toBe(false)
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true } },
      options: { requestId: 'listen-1', timeoutMs: Infinity },
    })
    route().acknowledged({ toolsListChanged: true })
    expect((await opening).subscriptionId).toBe('listen-1')
  })

  it('counts its ids per session', async () => {
    const { session, requests } = createSession()
    void listen(session, everything)
    void listen(session, everything)
    await settle()
    expect(requests.map(({ options }) => options.requestId)).toEqual(['listen-1', 'listen-2'])
    const other = createSession()
    void listen(other.session, everything)
    expect(other.requests[0]!.options.requestId).toBe('listen-1')
  })

  it('shows what was granted and what was not, and ignores grants of anything else', async () => {
    const { subscription } = await open(
      {},
      { ...everything, resourceSubscriptions: ['file:///a', 'file:///b'] },
      {
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['file:///b', 'file:///c'],
      },
    )
    expect(subscription.honored).toEqual({ promptsListChanged: true, resourceSubscriptions: ['file:///b'] })
    expect(subscription.refused).toEqual({ toolsListChanged: true, resourceSubscriptions: ['file:///a'] })
  })

  it('is not there in the legacy era', async () => {
    const { session, requests } = createSession(LATEST_LEGACY_VERSION)
    await expect(listen(session, everything)).rejects.toThrow(ListenNotSupportedError)
    expect(requests).toEqual([])
  })

  it.each([{ resourceSubscriptions: 'file:///a' }, { resourceSubscriptions: [1] }, null, 'tools'])(
    'refuses the filter %j',
    async (filter) => {
      const { session } = createSession()
      await expect(listen(session, filter as SubscriptionFilter)).rejects.toThrow(TypeError)
    },
  )

  it('rejects with the server’s error', async () => {
    const { session, answer } = createSession()
    const opening = listen(session, everything)
    const refusal = new MCPError(-32601, 'Method not found')
    answer.reject(refusal)
    await expect(opening).rejects.toBe(refusal)
  })

  it('F103 rejects when the connection ends without an acknowledgement', async () => {
    const { session, answer, route } = createSession()
    const opening = listen(session, everything)
    route().lost(new SubscriptionLost('The session has ended'))
    answer.reject(new MCPError(-32000, 'Connection closed', undefined, { local: true }))
    await expect(opening).rejects.toMatchObject({ code: -32000 })
  })

  it('F103 rejects when no acknowledgement comes in time, and cancels the request', async () => {
    vi.useFakeTimers()
    const { session, requests, routes } = createSession()
    const opening = listen(session, everything, { timeoutMs: 500 })
    const outcome = expect(opening).rejects.toMatchObject({ code: -32001, local: true })
    await vi.advanceTimersByTimeAsync(500)
    await outcome
    expect(requests[0]!.options.signal.aborted).toBe(true)
    expect(routes.size).toBe(0)
  })

  it('opens ended, with nothing granted, when the response comes before an acknowledgement', async () => {
    const { session, answer } = createSession()
    const opening = listen(session, everything)
    answer.resolve({})
    const subscription = await opening
    expect(subscription.honored).toEqual({})
    expect(await subscription.next()).toEqual({ done: true, value: undefined })
  })

  it('rejects when the signal aborts', async () => {
    const { session } = createSession()
    const controller = new AbortController()
    const opening = listen(session, everything, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(opening).rejects.toThrow('enough')
    await expect(listen(session, everything, { signal: controller.signal })).rejects.toThrow('enough')
  })
})

describe('a subscription', () => {
  it('delivers the events in order', async () => {
    const { subscription, route } = await open()
    route().event(TOOLS, {})
    route().event(UPDATED, { uri: 'file:///a' })
    route().event(PROMPTS, {})
    expect(await subscription.next()).toEqual({ done: false, value: { type: 'toolsListChanged' } })
    expect(await subscription.next()).toEqual({ done: false, value: { type: 'resourceUpdated', uri: 'file:///a' } })
    expect(await subscription.next()).toEqual({ done: false, value: { type: 'promptsListChanged' } })
  })

  it('resolves a pending next()', async () => {
    const { subscription, route } = await open()
    const next = subscription.next()
    await settle()
    route().event(TOOLS, {})
    expect(await next).toEqual({ done: false, value: { type: 'toolsListChanged' } })
  })

  it('has one reader', async () => {
    const { subscription } = await open()
    void subscription.next()
    await expect(subscription.next()).rejects.toThrow(/one loop per subscription/)
    await subscription.close()
  })

  it('delivers an event once that is repeated before it was read, and again after', async () => {
    const { subscription, route, answer } = await open()
    route().event(TOOLS, {})
    route().event(PROMPTS, {})
    route().event(TOOLS, {})
    expect((await subscription.next()).value).toEqual({ type: 'toolsListChanged' })
    route().event(TOOLS, {})
    answer.resolve({})
    expect(await collect(subscription)).toEqual([{ type: 'promptsListChanged' }, { type: 'toolsListChanged' }])
  })

  it('drops events that were not granted, and those before the acknowledgement', async () => {
    const { session, route, answer } = createSession()
    const opening = listen(session, everything)
    const routed = route()
    routed.event(PROMPTS, {})
    routed.acknowledged({ promptsListChanged: true })
    const subscription = await opening
    routed.event(TOOLS, {})
    routed.event(UPDATED, { uri: 'file:///a' })
    routed.event('notifications/message', {})
    routed.event(PROMPTS, {})
    answer.resolve({})
    expect(await collect(subscription)).toEqual([{ type: 'promptsListChanged' }])
  })

  it('delivers updates of every resource once one is subscribed', async () => {
    const { subscription, route } = await open()
    route().event(UPDATED, { uri: 'file:///a/below' })
    expect((await subscription.next()).value).toEqual({ type: 'resourceUpdated', uri: 'file:///a/below' })
  })

  it('delivers an event once beforeEvent is done', async () => {
    const told = createDeferred()
    const beforeEvent = vi.fn(() => told.promise)
    const { subscription, route } = await open({}, everything, everything, beforeEvent)
    route().event(TOOLS, {})
    expect(beforeEvent).toHaveBeenCalledExactlyOnceWith({ type: 'toolsListChanged' })
    let isRead = false
    const next = subscription.next().then((read) => {
      isRead = true
      return read
    })
    await settle()
    expect(isRead).toBe(false)
    told.resolve()
    expect((await next).value).toEqual({ type: 'toolsListChanged' })
  })

  it('waits also for beforeEvent of a repeated change', async () => {
    const turns = [createDeferred(), createDeferred()]
    const beforeEvent = vi.fn(() => turns[beforeEvent.mock.calls.length - 1]!.promise)
    const { subscription, route } = await open({}, everything, everything, beforeEvent)
    let isRead = false
    void subscription.next().then(() => {
      isRead = true
    })
    route().event(TOOLS, {})
    await settle()
    route().event(TOOLS, {})
    turns[0]!.resolve()
    await settle()
    expect(isRead).toBe(false)
    turns[1]!.resolve()
    await settle()
    expect(isRead).toBe(true)
  })

  it('delivers the event although beforeEvent failed', async () => {
    const { subscription, route } = await open({}, everything, everything, () => Promise.reject(new Error('no')))
    route().event(TOOLS, {})
    expect((await subscription.next()).value).toEqual({ type: 'toolsListChanged' })
  })
})

describe('the end', () => {
  it('by the server comes after the events that waited', async () => {
    const { subscription, route, answer, routes } = await open()
    route().event(TOOLS, {})
    answer.resolve({})
    expect(await collect(subscription)).toEqual([{ type: 'toolsListChanged' }])
    expect(routes.size).toBe(0)
  })

  it('by a broken connection is SubscriptionLost, after the events that waited', async () => {
    const { subscription, route, answer } = await open()
    route().event(TOOLS, {})
    const cause = new MCPError(-32000, 'Connection closed', undefined, { local: true })
    answer.reject(cause)
    expect((await subscription.next()).value).toEqual({ type: 'toolsListChanged' })
    const end = subscription.next()
    await expect(end).rejects.toThrow(SubscriptionLost)
    await expect(end).rejects.toMatchObject({ cause })
  })

  it('by cancellation alone is SubscriptionLost', async () => {
    vi.useFakeTimers()
    const { subscription, route } = await open()
    const reason = new SubscriptionLost('The server cancelled the subscription')
    route().lost(reason)
    const outcome = expect(subscription.next()).rejects.toBe(reason)
    await vi.advanceTimersByTimeAsync(1_000)
    await outcome
  })

  it('by cancellation is normal when the response follows', async () => {
    const { subscription, route, answer } = await open()
    route().lost(new SubscriptionLost('The server cancelled the subscription'))
    answer.resolve({})
    expect(await subscription.next()).toEqual({ done: true, value: undefined })
  })

  it('comes when too many different events wait, and cancels the request', async () => {
    const { subscription, route, requests } = await open()
    const routed = route()
    for (let index = 0; index < MAX_BACKLOG; index++) routed.event(UPDATED, { uri: `file:///a/${index}` })
    routed.event(UPDATED, { uri: 'file:///a/0' })
    expect(subscription.isClosed).toBe(false)
    routed.event(UPDATED, { uri: 'file:///one-too-many' })
    expect(requests[0]!.options.signal.aborted).toBe(true)
    let count = 0
    const reading = (async () => {
      for await (const _event of subscription) count += 1
    })()
    await expect(reading).rejects.toThrow(SubscriptionLost)
    expect(count).toBe(MAX_BACKLOG)
  })

  it('by closing cancels the request and drops what waited', async () => {
    const { subscription, route, requests, routes } = await open()
    route().event(TOOLS, {})
    await subscription.close()
    await subscription.close()
    expect(await subscription.next()).toEqual({ done: true, value: undefined })
    expect(requests[0]!.options.signal.aborted).toBe(true)
    await settle()
    expect(routes.size).toBe(0)
  })

  it('by closing resolves a pending next()', async () => {
    const { subscription } = await open()
    const next = subscription.next()
    await settle()
    await subscription.close()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  it('comes with leaving the loop, and with the end of the block', async () => {
    const first = await open()
    first.route().event(TOOLS, {})
    for await (const _event of first.subscription) break
    expect(first.subscription.isClosed).toBe(true)

    const second = await open()
    {
      await using _subscription = second.subscription
    }
    expect(second.subscription.isClosed).toBe(true)
  })

  it('by the signal throws its reason', async () => {
    const controller = new AbortController()
    const { subscription, route, requests } = await open({ signal: controller.signal })
    route().event(TOOLS, {})
    controller.abort(new Error('enough'))
    await expect(subscription.next()).rejects.toThrow('enough')
    expect(requests[0]!.options.signal.aborted).toBe(true)
  })
})

async function collect(subscription: AsyncIterable<ServerEvent>): Promise<ServerEvent[]> {
  const events: ServerEvent[] = []
  for await (const event of subscription) events.push(event)
  return events
}
