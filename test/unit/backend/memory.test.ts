// What the backend in memory has beyond the contract: bounds, clock, no promises.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memory } from '../../../src/backend/memory/memory.ts'

const WRITER = { writer: 'w', ttlMs: 10_000 }
const MANY = { maxEntries: 1_000, maxBytes: 1_048_576 }

function withClock(maxBytes?: number) {
  const clock = { time: 1_000_000, now: () => clock.time }
  return { clock, backend: memory({ clock, ...(maxBytes !== undefined && { maxBytes }) }) }
}

describe('memory()', () => {
  it('returns values without a promise', () => {
    const { records, logs, topics, limits } = memory()
    const results = [
      records.put('k', 'v', { ttlMs: 1_000 }),
      records.get('k'),
      records.delete('k'),
      logs.append('l', { seq: 1, data: 'a' }, WRITER),
      logs.post('p', 'a', { ...WRITER, nth: 1, ...MANY }),
      logs.read('l', 0),
      logs.drop('l'),
      topics.publish('t', 'm'),
      limits.take('k', { perSecond: 1, burst: 1 }),
      limits.hold('k', 'h', { max: 1, ttlMs: 1_000 }),
      limits.release('k', 'h'),
    ]
    for (const result of results) expect(result).not.toBeInstanceOf(Promise)
  })

  it('refuses what would take it beyond maxBytes, keeps everything it has, and goes on once something has ended', () => {
    const { backend, clock } = withClock(10_000)
    const put = (key: string) => backend.records.put(key, 'x'.repeat(1_000), { ttlMs: 5_000 })
    const stored: string[] = []
    const fill = () => {
      for (;;) {
        void put(`k${stored.length}`)
        stored.push(`k${stored.length}`)
      }
    }
    const full = expect.objectContaining({
      name: 'BackendError',
      kind: 'refused',
      operation: 'records.put',
      limit: { name: 'maxBytes', max: 10_000 },
    })
    expect(fill).toThrow(full)
    expect(stored.length).toBeGreaterThan(6)
    for (const key of stored) expect(backend.records.get(key)).toBeDefined()
    // What is there can still be replaced by as much, and other parts share the budget.
    expect(put('k0')).toBeDefined()
    expect(() => backend.logs.append('l', { seq: 1, data: 'x'.repeat(1_000) }, WRITER)).toThrow(/maxBytes/)
    expect(backend.logs.read('l', 0)).toBeUndefined()
    clock.time += 5_000
    expect(backend.logs.append('l', { seq: 1, data: 'x'.repeat(1_000) }, WRITER)).toBe('kept')
  })

  it('forgets what nobody reads any more, without a timer', () => {
    const { backend, clock } = withClock(100_000)
    // Each write would fail soon if those before had stayed.
    for (let count = 0; count < 5_000; count += 1) {
      clock.time += 100
      void backend.records.put(`k${count}`, 'x'.repeat(100), { ttlMs: 1_000 })
      void backend.logs.append(`l${count}`, { seq: 1, data: 'x'.repeat(100) }, { writer: 'w', ttlMs: 1_000 })
      void backend.limits.take(`b${count}`, { perSecond: 10, burst: 5 })
      void backend.limits.hold(`p${count}`, 'h', { max: 5, ttlMs: 1_000 })
    }
  })

  it('counts what it holds: any order of writes, ends and deletes leaves the budget as it was', () => {
    const step = fc.record({
      do: fc.constantFrom('put', 'delete', 'append', 'post', 'drop', 'hold', 'release', 'take', 'wait'),
      key: fc.constantFrom('a', 'b', 'c'),
      size: fc.nat(300),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { backend, clock } = withClock(50_000)
        const { records, logs, limits } = backend
        let nth = 0
        for (const { do: what, key, size } of steps) {
          const text = 'x'.repeat(size)
          const page = logs.read(key, 0, { fromOldest: true }) as { lastSeq: number } | undefined
          if (what === 'put') void records.put(key, text, { ttlMs: 100 + size })
          else if (what === 'delete') void records.delete(key)
          else if (what === 'append') void logs.append(key, { seq: (page?.lastSeq ?? 0) + 1, data: text }, WRITER)
          else if (what === 'post') void logs.post(key, text, { ...WRITER, nth: ++nth, maxEntries: 3, maxBytes: 500 })
          else if (what === 'drop') void logs.drop(key)
          else if (what === 'hold') void limits.hold(key, `h${size}`, { max: 5, ttlMs: 100 + size })
          else if (what === 'release') void limits.release(key, `h${size}`)
          else if (what === 'take') void limits.take(key, { perSecond: 1, burst: 3 })
          else clock.time += size
        }
        clock.time += 1_000_000
        // Takes nearly everything there is, so nothing else may be counted any more.
        void records.put('large', 'x'.repeat(49_000), { ttlMs: 1_000 })
      }),
      { numRuns: 300 },
    )
  })

  it('D033 (memory): a clock that is set back leaves no bucket empty for longer than it takes to fill', () => {
    const { backend, clock } = withClock()
    const rate = { perSecond: 1, burst: 5 }
    for (let count = 0; count < 5; count += 1) expect(backend.limits.take('k', rate)).toBe(0)
    clock.time -= 3_600_000
    expect(backend.limits.take('k', rate)).toBeLessThanOrEqual(1_000)
    clock.time += 1_000
    expect(backend.limits.take('k', rate)).toBe(0)
  })

  it('a bucket never gives more than its burst and its rate, whatever the times of the calls', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ wait: fc.nat(3_000), tokens: fc.integer({ min: 1, max: 3 }) }), { maxLength: 60 }),
        (calls) => {
          const { backend, clock } = withClock()
          const start = clock.time
          let taken = 0
          for (const { wait, tokens } of calls) {
            clock.time += wait
            if (backend.limits.take('k', { perSecond: 2, burst: 4, tokens }) === 0) taken += tokens
            expect(taken).toBeLessThanOrEqual(4 + ((clock.time - start) / 1_000) * 2 + 1e-6)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('knows the repeat of a post although the entry had to go', () => {
    const { logs } = memory()
    const post = (writer: string, nth: number) =>
      logs.post('l', `${writer}${nth}`, { writer, nth, ttlMs: 10_000, maxEntries: 2, maxBytes: 1_000 })
    expect([post('a', 1), post('b', 1), post('b', 2), post('b', 3)]).toEqual([1, 2, 3, 4])
    expect(post('a', 1)).toBe(1)
    expect(logs.read('l', 2)).toMatchObject({ lastSeq: 4 })
  })

  it('calls listeners after the call that has news, and reports those that throw', async () => {
    const errors: unknown[] = []
    const heard: string[] = []
    const { topics, logs } = memory({ onListenerError: (error) => errors.push(error) })
    const broken = new Error('broken')
    const thrower = () => {
      throw broken
    }
    topics.subscribe('t', { message: thrower, missed: () => {} })
    topics.subscribe('t', { message: (text) => heard.push(text), missed: () => {} })
    logs.follow('l', thrower)
    void topics.publish('t', 'm')
    void logs.append('l', { seq: 1, data: 'a' }, WRITER)
    expect(heard).toEqual([])
    await Promise.resolve()
    expect(heard).toEqual(['m'])
    expect(errors).toEqual([broken, broken])
  })

  it('refuses unknown options and limits that are none', () => {
    expect(() => memory({ maxByte: 1 } as never)).toThrow(/"maxBytes"/)
    expect(() => memory({ maxBytes: 0 })).toThrow(RangeError)
    expect(() => memory({ maxValueBytes: Number.NaN })).toThrow(RangeError)
  })
})
