// The event store in memory: the contract, and its bounds.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryEventStore } from '../../../../../src/server/http/streams/event-store.ts'
import { describeEventStore } from '../../../../support/event-store-contract.ts'

describeEventStore('in memory', () => new MemoryEventStore())

describe('the bounds of the event store in memory', () => {
  it('keeps the last events of a stream and knows what it no longer has', () => {
    const store = new MemoryEventStore({ maxEventsPerStream: 3 })
    const ids = ['a', 'b', 'c', 'd', 'e'].map((data) => store.append('s', data))
    expect(store.replayAfter('s', ids[0] ?? '')).toBeUndefined()
    // Its own event is gone, but nothing that came after it.
    expect(store.replayAfter('s', ids[1] ?? '')?.map(({ data }) => data)).toEqual(['c', 'd', 'e'])
  })

  it('keeps 1,000 events of a stream unless given otherwise', () => {
    const store = new MemoryEventStore()
    const ids = Array.from({ length: 1_500 }, (_, index) => store.append('s', `${index}`))
    expect(store.replayAfter('s', ids[498] ?? '')).toBeUndefined()
    expect(store.replayAfter('s', ids[499] ?? '')).toHaveLength(1_000)
  })

  it('measures text as it is kept: characters beyond Latin-1 take two bytes', () => {
    const store = new MemoryEventStore({ maxBytesPerStream: 1_200 })
    const [plain = ''] = [1, 2].map(() => store.append('plain', 'x'.repeat(500)))
    const [wide = ''] = [1, 2, 3].map(() => store.append('wide', '漢'.repeat(500)))
    expect(store.replayAfter('plain', plain)).toHaveLength(1)
    expect(store.replayAfter('wide', wide)).toBeUndefined()
  })

  it('cannot keep an event that is larger than the bound, and says so on replay', () => {
    const store = new MemoryEventStore({ maxBytesPerStream: 1_000 })
    const first = store.append('s', 'small')
    store.append('s', 'x'.repeat(2_000))
    expect(store.replayAfter('s', first)).toBeUndefined()
  })

  it('drops whole streams, the longest unused first, when all of them are too large', () => {
    const store = new MemoryEventStore({ maxBytes: 3_000 })
    const [a = '', b = ''] = ['a', 'b', 'c', 'a', 'd'].map((name) => store.append(name, 'x'.repeat(600)))
    expect(store.replayAfter('b', b)).toBeUndefined()
    expect(store.replayAfter('a', a)).toHaveLength(1)
    expect(store.streamCount).toBe(3)
  })

  it('always drops the stream that is longest without an event, in any order of events and drops', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom(false, false, false, true))
    const steps = fc.array(step, { minLength: 30, maxLength: 60 })
    fc.assert(
      fc.property(steps, (all) => {
        // One event each: a stream is either there with 100 bytes or not there at all.
        const store = new MemoryEventStore({ maxEventsPerStream: 1, maxBytes: 300 })
        const ids = new Map<string, string>()
        let expected: string[] = []
        for (const [name, isDropped] of all) {
          expected = expected.filter((one) => one !== name)
          if (isDropped) store.drop(name)
          else {
            ids.set(name, store.append(name, 'x'.repeat(36)))
            expected = [...expected, name].slice(-3)
          }
          const isKept = ([one, id]: [string, string]) => store.replayAfter(one, id) !== undefined
          expect([...ids].filter(isKept).map(([one]) => one)).toEqual(
            [...ids.keys()].filter((one) => expected.includes(one)),
          )
          expect(store.streamCount).toBe(expected.length)
        }
      }),
      { seed: 6, numRuns: 100 },
    )
  })

  it('replays a suffix of what was appended, or nothing at all, whatever the bounds', () => {
    const appends = fc.array(fc.tuple(fc.constantFrom('s', 't'), fc.string({ maxLength: 40 })), { maxLength: 40 })
    fc.assert(
      fc.property(appends, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 100, max: 900 }), (all, max, maxBytes) => {
        const store = new MemoryEventStore({ maxEventsPerStream: max, maxBytesPerStream: 400, maxBytes })
        const written = all.map(([stream, data]) => ({ stream, data, id: store.append(stream, data) }))
        for (const [index, { stream, id }] of written.entries()) {
          const after = written.slice(index + 1).filter((event) => event.stream === stream)
          const events = store.replayAfter(stream, id)
          if (events !== undefined) expect(events.map(({ data }) => data)).toEqual(after.map(({ data }) => data))
        }
      }),
      { seed: 6, numRuns: 100 },
    )
  })
})
