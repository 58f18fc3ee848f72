// What the logs of streams may take in the engine, and when they are freed.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LogUse } from '../../../../../src/server/http/log-streams/log-use.ts'

const MIB = 1024 * 1024
const ADA = { session: 's1', caller: 'ada' }

function create() {
  const dropped: string[] = []
  const clock = { now: 0 }
  const use = new LogUse({ ttlMs: 1_000, drop: (log) => void dropped.push(log), now: () => clock.now })
  const write = (log: string, bytes: number, owner: { session: string; caller: string | null } = ADA) => {
    use.open(log, owner)
    const isTaken = use.take(log, bytes)
    use.end(log)
    return isTaken
  }
  return { use, dropped, clock, write }
}

describe('logs of streams', () => {
  test('of one session take 32 MiB: the oldest that have ended go first', () => {
    const { dropped, write } = create()
    for (let count = 1; count <= 5; count += 1) expect(write(`l${count}`, 10 * MIB)).toBe(true)
    expect(dropped).toEqual(['l1', 'l2'])
  })

  test('of one session that are still written do not take more either: the entry is not stored', () => {
    const { use } = create()
    for (const log of ['a', 'b', 'c']) use.open(log, ADA)
    expect(['a', 'b', 'c'].map((log) => use.take(log, 15 * MIB))).toEqual([true, true, false])
    use.forget('c')
    expect(use.take('a', MIB)).toBe(true)
  })

  test('of one caller take 64 MiB, whatever the sessions', () => {
    const { dropped, write } = create()
    for (let count = 1; count <= 8; count += 1) write(`l${count}`, 10 * MIB, { session: `s${count}`, caller: 'ada' })
    expect(dropped).toEqual(['l1', 'l2'])
    write('other', 10 * MIB, { session: 'other', caller: 'bob' })
    expect(dropped.length).toBe(2)
  })

  test('of a node take 256 MiB, also of callers that nobody knows', () => {
    const { dropped, write } = create()
    for (let count = 1; count <= 30; count += 1) write(`l${count}`, 10 * MIB, { session: `s${count}`, caller: null })
    expect(dropped.length).toBe(5)
  })

  test('count until the engine has forgotten them', () => {
    const { dropped, clock, write } = create()
    for (let count = 1; count <= 3; count += 1) write(`l${count}`, 10 * MIB)
    clock.now = 1_000
    for (let count = 4; count <= 6; count += 1) write(`l${count}`, 10 * MIB)
    expect(dropped).toEqual([])
  })

  test('go when their session has ended, and those of others stay', () => {
    const { use, dropped, write } = create()
    write('a', 1)
    write('b', 1, { session: 's2', caller: 'ada' })
    use.endSession('s1')
    use.endSession('s1')
    expect(dropped).toEqual(['a'])
  })

  test('are counted exactly: after everything is forgotten, all of the room is there', () => {
    const operation = fc.record({ log: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.nat(20 * MIB), do: fc.nat(3) })
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const { use, clock, write } = create()
        for (const { log, bytes, do: what } of operations) {
          if (what === 0) write(log + bytes, bytes)
          else if (what === 1) use.take(log, bytes)
          else if (what === 2) use.end(log)
          else use.endSession('s1')
          clock.now += 10
        }
        use.endSession('s1')
        expect(write('last', 31 * MIB)).toBe(true)
      }),
    )
  })
})
