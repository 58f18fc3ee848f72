import { describe, expect, it } from 'vitest'
import type { SubscriptionEvent } from '../../../src/server/subscriptions.ts'
import { Backlog } from '../../../src/server/subscriptions-backlog.ts'

const tools: SubscriptionEvent = { type: 'toolsListChanged' }
const updated = (uri: string): SubscriptionEvent => ({ type: 'resourceUpdated', uri })

describe('Backlog', () => {
  it('gives events back in order', async () => {
    const backlog = new Backlog(3)
    for (const event of [updated('a'), tools, updated('b')]) expect(backlog.add(event)).toBe(true)
    expect(await backlog.next()).toEqual(updated('a'))
    expect(await backlog.next()).toEqual(tools)
    expect(await backlog.next()).toEqual(updated('b'))
  })

  it('wakes a reader that waits', async () => {
    const backlog = new Backlog(1)
    const waiting = backlog.next()
    backlog.add(tools)
    expect(await waiting).toEqual(tools)
  })

  it('keeps equal events that wait as one, so that a storm takes no room', async () => {
    const backlog = new Backlog(2)
    for (let i = 0; i < 5000; i++) {
      expect(backlog.add(tools)).toBe(true)
      expect(backlog.add(updated('a'))).toBe(true)
    }
    backlog.end()
    expect([await backlog.next(), await backlog.next(), await backlog.next()]).toEqual([tools, updated('a'), undefined])
  })

  it('takes an event again once it has been read', async () => {
    const backlog = new Backlog(1)
    backlog.add(tools)
    expect(await backlog.next()).toEqual(tools)
    backlog.add(tools)
    expect(await backlog.next()).toEqual(tools)
  })

  it('does not take a uri for a list', async () => {
    const backlog = new Backlog(2)
    backlog.add(tools)
    backlog.add(updated('toolsListChanged'))
    expect([await backlog.next(), await backlog.next()]).toEqual([tools, updated('toolsListChanged')])
  })

  it('says when there is no room', () => {
    const backlog = new Backlog(2)
    expect([updated('a'), updated('b'), updated('c')].map((event) => backlog.add(event))).toEqual([true, true, false])
  })

  it('can be read to the end, or forgotten', async () => {
    const [ended, discarded] = [new Backlog(1), new Backlog(1)]
    for (const backlog of [ended, discarded]) backlog.add(tools)
    ended.end()
    discarded.discard()
    expect([await ended.next(), await ended.next()]).toEqual([tools, undefined])
    expect(await discarded.next()).toBeUndefined()
    expect(ended.add(tools)).toBe(true)
    expect(await ended.next()).toBeUndefined()
  })

  it('tells a reader that waits of the end', async () => {
    const backlog = new Backlog(1)
    const waiting = backlog.next()
    backlog.end()
    expect(await waiting).toBeUndefined()
  })
})
