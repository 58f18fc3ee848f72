import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import {
  createLegacySubscriptions,
  type LegacySubscriptionsOptions,
} from '../../../../src/server/subscriptions/legacy.ts'
import { createSubscriptionBus } from '../../../../src/server/subscriptions/subscriptions.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { checkNotification } from '../../../../src/wire/check.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function setUp(options: Partial<LegacySubscriptionsOptions> = {}) {
  const bus = createSubscriptionBus()
  const sent: [string, JSONObject | undefined][] = []
  const faults: Fault[] = []
  const subscriptions = createLegacySubscriptions(bus, {
    notify: async (method, params) => {
      sent.push([method, params])
    },
    onFault: (fault) => faults.push(fault),
    ...options,
  })
  return { bus, sent, faults, subscriptions }
}

describe('createLegacySubscriptions', () => {
  it('tells of lists without being asked, as the legacy revisions spell it', async () => {
    const { bus, sent } = setUp()
    await bus.publish({ type: 'toolsListChanged' })
    await bus.publish({ type: 'promptsListChanged' })
    await bus.publish({ type: 'resourcesListChanged' })
    await settle()
    expect(sent).toEqual([
      ['notifications/tools/list_changed', undefined],
      ['notifications/prompts/list_changed', undefined],
      ['notifications/resources/list_changed', undefined],
    ])
    for (const [method, params] of sent) checkNotification(method, '2025-11-25', params, 'server')
  })

  it('tells only of lists that the server said would be announced', async () => {
    const { bus, sent } = setUp({ announces: (change) => change === 'toolsListChanged' })
    await bus.publish({ type: 'promptsListChanged' })
    await bus.publish({ type: 'toolsListChanged' })
    await settle()
    expect(sent).toEqual([['notifications/tools/list_changed', undefined]])
  })

  it('tells of a resource while it is watched', async () => {
    const { bus, sent, subscriptions } = setUp()
    const update = () => bus.publish({ type: 'resourceUpdated', uri: 'x://a' })
    await update()
    subscriptions.subscribe('x://a')
    subscriptions.subscribe('x://a')
    await update()
    await bus.publish({ type: 'resourceUpdated', uri: 'x://b' })
    await settle()
    subscriptions.unsubscribe('x://a')
    subscriptions.unsubscribe('x://never')
    await update()
    await settle()
    expect(sent).toEqual([['notifications/resources/updated', { uri: 'x://a' }]])
  })

  it('tells of parts where the server knows them', async () => {
    const { bus, sent, subscriptions } = setUp({ isPartOf: (updated, watched) => updated.startsWith(`${watched}/`) })
    subscriptions.subscribe('x://a')
    await bus.publish({ type: 'resourceUpdated', uri: 'x://a/part' })
    await settle()
    expect(sent).toEqual([['notifications/resources/updated', { uri: 'x://a/part' }]])
  })

  it('bounds what one client watches', () => {
    const { subscriptions } = setUp({ maxWatchedUris: 1 })
    subscriptions.subscribe('x://a')
    subscriptions.subscribe('x://a')
    expect(() => subscriptions.subscribe('x://b')).toThrow(expect.objectContaining({ code: -32603 }))
    subscriptions.unsubscribe('x://a')
    subscriptions.subscribe('x://b')
  })

  it('bounds what waits for a client that does not read, and reports what is lost', async () => {
    const sent: string[] = []
    const { bus, faults, subscriptions } = setUp({
      isPartOf: () => true,
      maxBacklog: 2,
      notify: (method) => {
        sent.push(method)
        return new Promise(() => {})
      },
    })
    subscriptions.subscribe('x://')
    for (let i = 0; i < 3; i++) await bus.publish({ type: 'resourceUpdated', uri: `x://${i}` })
    await settle()
    expect(faults).toEqual([])
    await bus.publish({ type: 'resourceUpdated', uri: 'x://secret' })
    expect(faults).toMatchObject([{ kind: 'overflow', message: expect.not.stringContaining('secret') }])
    expect(sent).toHaveLength(1)
  })

  it('goes on after a notification that could not be sent', async () => {
    let attempts = 0
    const { bus, faults } = setUp({
      notify: async () => {
        attempts += 1
        throw new Error('pipe')
      },
    })
    await bus.publish({ type: 'toolsListChanged' })
    await bus.publish({ type: 'promptsListChanged' })
    await settle()
    expect(attempts).toBe(2)
    expect(faults.map(({ kind }) => kind)).toEqual(['write-failed', 'write-failed'])
  })

  it('forgets what waits and hears no more once it is closed', async () => {
    const { bus, sent, subscriptions } = setUp()
    subscriptions.subscribe('x://a')
    void bus.publish({ type: 'toolsListChanged' })
    void bus.publish({ type: 'promptsListChanged' })
    subscriptions.close()
    subscriptions.close()
    await bus.publish({ type: 'resourceUpdated', uri: 'x://a' })
    await settle()
    expect(sent).toEqual([['notifications/tools/list_changed', undefined]])
  })
})
