// Events of extensions in a subscription, with servers that send anything.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { OwnedFilters } from '../../../../src/client/extensions/owned-filters.ts'
import {
  type CheckedFilter,
  checkFilter,
  intersectFilters,
  subtractFilters,
} from '../../../../src/client/subscriptions/filters.ts'
import { EventSubscription } from '../../../../src/client/subscriptions/subscription.ts'

const owned = new OwnedFilters({ jobIds: { notification: 'com.example/job', keyParam: 'jobId' } })

function createSubscription(filter: object, honored: object = filter) {
  const requested = checkFilter(filter, owned)
  const beforeEvent = vi.fn(async () => {})
  const subscription = new EventSubscription({
    id: 'listen-1',
    requested,
    honored: intersectFilters(requested, honored),
    owned,
    beforeEvent,
    onClose: () => {},
  })
  return { subscription, beforeEvent }
}

async function drain(subscription: EventSubscription): Promise<unknown[]> {
  subscription.complete()
  const events: unknown[] = []
  for await (const event of subscription) events.push(event)
  return events
}

describe('an event of an extension', () => {
  it('is presumed for every key when the subscription was reopened, and no cache is asked', async () => {
    const { subscription, beforeEvent } = createSubscription({ toolsListChanged: true, jobIds: ['a', 'b'] })
    subscription.reopened('listen-2', subscription.honored)
    const job = { type: 'extension', filter: 'jobIds', method: 'com.example/job', isPresumed: true }
    expect(await drain(subscription)).toEqual([
      { type: 'toolsListChanged', isPresumed: true },
      { ...job, key: 'a' },
      { ...job, key: 'b' },
    ])
    expect(beforeEvent).toHaveBeenCalledOnce()
  })

  it('that waits gives way to a newer one of its key, a presumed one too', async () => {
    const { subscription } = createSubscription({ jobIds: ['a'] })
    const event = { type: 'extension', filter: 'jobIds', key: 'a', method: 'com.example/job' } as const
    subscription.receive({ ...event, params: { n: 1 } })
    subscription.receive({ ...event, params: { n: 2 } })
    subscription.reopened('listen-2', subscription.honored)
    expect(await drain(subscription)).toEqual([{ ...event, isPresumed: true }])
  })

  it('needs a key that the server granted', async () => {
    const { subscription } = createSubscription({ jobIds: ['a'] }, { jobIds: ['b'] })
    const event = { type: 'extension', filter: 'jobIds', method: 'com.example/job', params: {} } as const
    for (const key of ['a', 'b', 'toString']) subscription.receive({ ...event, key })
    subscription.receive({ ...event, filter: 'constructor', key: 'length' })
    expect(await drain(subscription)).toEqual([])
  })
})

it.each([{}, { jobId: 7 }, { jobId: ['a'] }, { other: 'a' }])('a notification with %j names no key', (params) => {
  expect(owned.toEvent('com.example/job', params)).toBeUndefined()
  expect(owned.toEvent('com.example/other', { jobId: 'a' })).toBeUndefined()
})

const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '__proto__', ''))
const filters = fc.record(
  { toolsListChanged: fc.boolean(), resourceSubscriptions: keys, jobIds: keys },
  { requiredKeys: [] },
)

it('whatever a server grants, each requested part is either honored or refused', () => {
  fc.assert(
    fc.property(filters, fc.oneof(filters, fc.object()), (filter, granted) => {
      const requested = checkFilter(filter, owned)
      const honored = intersectFilters(requested, granted)
      const refused = subtractFilters(requested, honored)
      const parts = (of: CheckedFilter) =>
        Object.entries(of).flatMap(([member, value]) =>
          value === true ? [member] : (value as string[]).map((key) => `${member} ${key}`),
        )
      expect([...parts(honored), ...parts(refused)].sort()).toEqual(parts(requested).sort())
    }),
  )
})
