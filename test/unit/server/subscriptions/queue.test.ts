import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { ChangeQueue } from '../../../../src/server/subscriptions/queue.ts'
import type { SubscriptionEvent } from '../../../../src/server/subscriptions/subscriptions.ts'

const tools: SubscriptionEvent = { type: 'toolsListChanged' }
const updated = (uri: string): SubscriptionEvent => ({ type: 'resourceUpdated', uri })
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A queue whose reader takes one event each time it is let. */
function setUp(capacity: number) {
  const told: SubscriptionEvent[] = []
  const failures: unknown[] = []
  let ends = 0
  let gate = createDeferred()
  const queue = new ChangeQueue(
    {
      tell(event) {
        told.push(event)
        gate = createDeferred()
        return gate.promise
      },
      onTellFailed: (error) => failures.push(error),
      onAllTold: () => {
        ends += 1
      },
    },
    capacity,
  )
  const readOne = async () => {
    gate.resolve()
    await settle()
  }
  const failOne = async (error: Error) => {
    gate.reject(error)
    await settle()
  }
  return { queue, told, failures, readOne, failOne, ends: () => ends }
}

describe('ChangeQueue', () => {
  it('tells the first event at once, and the others in order as they are read', async () => {
    const { queue, told, readOne } = setUp(3)
    for (const event of [updated('a'), tools, updated('b')]) expect(queue.add(event)).toBe(true)
    expect(told).toEqual([updated('a')])
    await readOne()
    await readOne()
    expect(told).toEqual([updated('a'), tools, updated('b')])
  })

  it('tells nothing before what it is held for', async () => {
    const { queue, told } = setUp(3)
    const acknowledged = createDeferred()
    queue.hold()
    queue.add(tools)
    queue.goOnAfter(acknowledged.promise)
    await settle()
    expect(told).toEqual([])
    acknowledged.resolve()
    await settle()
    expect(told).toEqual([tools])
  })

  it('keeps equal events that wait as one, so that a storm takes no room', async () => {
    const { queue, told, readOne } = setUp(2)
    for (let i = 0; i < 5000; i++) {
      expect(queue.add(tools)).toBe(true)
      expect(queue.add(updated('a'))).toBe(true)
    }
    for (let i = 0; i < 5; i++) await readOne()
    expect(told).toEqual([tools, updated('a'), tools])
  })

  it('takes an event again once it has been told', async () => {
    const { queue, told, readOne } = setUp(1)
    for (let i = 0; i < 3; i++) {
      queue.add(tools)
      await readOne()
    }
    expect(told).toHaveLength(3)
  })

  it('does not take a uri for a list', async () => {
    const { queue, told, readOne } = setUp(2)
    for (const event of [updated('x'), tools, updated('toolsListChanged')]) queue.add(event)
    await readOne()
    await readOne()
    expect(told).toEqual([updated('x'), tools, updated('toolsListChanged')])
  })

  it('says when there is no room beside the one that is being told', () => {
    const { queue } = setUp(2)
    expect(['a', 'b', 'c', 'd'].map((uri) => queue.add(updated(uri)))).toEqual([true, true, true, false])
  })

  it('goes on after one that could not be told', async () => {
    const { queue, told, failures, failOne } = setUp(2)
    const broken = new Error('pipe')
    queue.add(tools)
    queue.add(updated('a'))
    await failOne(broken)
    expect(told).toEqual([tools, updated('a')])
    expect(failures).toEqual([broken])
  })

  it('is over once all has been told', async () => {
    const { queue, told, readOne, ends } = setUp(2)
    queue.add(tools)
    queue.add(updated('a'))
    queue.end()
    expect(queue.add(updated('b'))).toBe(true)
    await readOne()
    expect(ends()).toBe(0)
    await readOne()
    expect(told).toEqual([tools, updated('a')])
    expect(ends()).toBe(1)
  })

  it('is over at once where nothing waits', () => {
    const { queue, ends } = setUp(1)
    queue.end()
    expect(ends()).toBe(1)
  })

  it('forgets what waits when it is discarded', async () => {
    const { queue, told, readOne } = setUp(2)
    queue.add(tools)
    queue.add(updated('a'))
    queue.discard()
    await readOne()
    expect(told).toEqual([tools])
  })
})
