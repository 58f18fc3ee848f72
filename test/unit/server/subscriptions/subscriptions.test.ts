import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type CoreChange,
  createSubscriptionBus,
  type SubscriptionEvent,
  toNotification,
} from '../../../../src/server/subscriptions/subscriptions.ts'

const tools: CoreChange = { type: 'toolsListChanged' }
const updated = (uri: string): CoreChange => ({ type: 'resourceUpdated', uri })

afterEach(() => {
  vi.useRealTimers()
})

describe('createSubscriptionBus', () => {
  it('tells everyone at once, in the order in which they subscribed', () => {
    const bus = createSubscriptionBus()
    const heard: string[] = []
    bus.subscribe(() => heard.push('first'))
    bus.subscribe(() => heard.push('second'))
    void bus.publish(tools)
    expect(heard).toEqual(['first', 'second'])
  })

  it('contains a listener that throws', async () => {
    const errors: unknown[] = []
    const bus = createSubscriptionBus({ onError: (error) => errors.push(error) })
    const heard: SubscriptionEvent[] = []
    const failure = new Error('listener')
    bus.subscribe(() => {
      throw failure
    })
    bus.subscribe((event) => heard.push(event))
    await bus.publish(tools)
    expect(heard).toEqual([tools])
    expect(errors).toEqual([failure])
  })

  it('forgets a listener, and only that one, however often it is asked to', async () => {
    const bus = createSubscriptionBus()
    const listener = vi.fn()
    const leave = bus.subscribe(listener)
    bus.subscribe(listener)
    leave()
    leave()
    await bus.publish(tools)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('lets listeners come and go while it tells', async () => {
    const bus = createSubscriptionBus()
    const late = vi.fn()
    const leave = bus.subscribe(() => {
      leave()
      bus.subscribe(late)
    })
    await bus.publish(tools)
    expect(late).not.toHaveBeenCalled()
    await bus.publish(tools)
    expect(late).toHaveBeenCalledTimes(1)
  })

  it('holds a publisher that waits back once in a burst, so that others can work', async () => {
    vi.useFakeTimers()
    const bus = createSubscriptionBus()
    let published = 0
    const burst = (async () => {
      for (; published < 200; published++) await bus.publish(updated(`x://${published}`))
    })()
    await vi.advanceTimersByTimeAsync(0)
    expect(published).toBeGreaterThan(0)
    expect(published).toBeLessThan(200)
    await vi.runAllTimersAsync()
    await burst
    expect(published).toBe(200)
  })
})

describe('toNotification', () => {
  it.each([
    [tools, { method: 'notifications/tools/list_changed' }],
    [{ type: 'promptsListChanged' }, { method: 'notifications/prompts/list_changed' }],
    [{ type: 'resourcesListChanged' }, { method: 'notifications/resources/list_changed' }],
    [updated('x://y'), { method: 'notifications/resources/updated', params: { uri: 'x://y' } }],
  ] as const)('says %j as the wire does', (event, notification) => {
    expect(toNotification(event)).toEqual(notification)
  })
})
