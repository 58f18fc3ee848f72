// Properties of retries and resumption that hold for every policy, every failure and every way a stream breaks off.
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { EventCursor, MAX_SEEN_IDS, resumeStream, StreamConflict } from '../../../../src/client/transports/resume.ts'
import {
  Backoff,
  backoffDelay,
  nextRequestDelay,
  parseReconnectOptions,
  STABLE_AFTER_MS,
} from '../../../../src/client/transports/retry.ts'
import { readRetryAfter } from '../../../../src/http/retry-after.ts'
import { monotonicNow } from '../../../../src/primitives/async/timer.ts'
import { TransportError } from '../../../../src/types/errors/failures.ts'

const delays = fc.record({ initialDelayMs: fc.nat(60_000), maxDelayMs: fc.nat(600_000) })
const NO_DELAY = { initialDelayMs: 0, maxDelayMs: 0 }

it('a delay is between half and all of the doubled delay, and never above maxDelayMs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), delays, (failures, { initialDelayMs, maxDelayMs }) => {
      const full = Math.min(initialDelayMs * 2 ** (Math.min(failures, 31) - 1), maxDelayMs)
      const delay = backoffDelay(failures, { initialDelayMs, maxDelayMs })
      expect(delay).toBeGreaterThanOrEqual(full / 2)
      expect(delay).toBeLessThanOrEqual(full)
    }),
    { seed: 17 },
  )
})

it('a request is retried only if it is repeatable, within its deadline, and not sooner than Retry-After', () => {
  const attempts = fc.record({ isRepeatable: fc.boolean(), retries: fc.nat(50), elapsedMs: fc.nat(60_000) })
  fc.assert(
    fc.property(
      attempts,
      delays,
      fc.nat(60_000),
      fc.option(fc.nat(60_000), { nil: undefined }),
      (attempt, delay, deadlineMs, retryAfterMs) => {
        const policy = parseReconnectOptions({ ...delay, deadlineMs })
        const startedAt = monotonicNow() - attempt.elapsedMs
        const delayMs = nextRequestDelay({ ...attempt, startedAt }, policy, retryAfterMs)
        if (!attempt.isRepeatable) expect(delayMs).toBeUndefined()
        if (delayMs === undefined) return
        expect(attempt.elapsedMs + delayMs).toBeLessThanOrEqual(deadlineMs)
        expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0)
      },
    ),
    { seed: 17 },
  )
})

it('whatever a Retry-After header holds, the delay is at most a minute and never negative', () => {
  const header = fc.oneof(
    fc.string(),
    fc.nat().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  )
  fc.assert(
    fc.property(header, fc.nat(), (value, now) => {
      const ms = readRetryAfter(value, now)
      if (ms === undefined) return
      expect(ms).toBeGreaterThanOrEqual(0)
      expect(ms).toBeLessThanOrEqual(60_000)
    }),
    { seed: 17 },
  )
})

it('delays between connections grow until one was stable, and start over after it', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const lives = fc.array(fc.option(fc.nat(2 * STABLE_AFTER_MS), { nil: undefined }), { maxLength: 30 })
  fc.assert(
    fc.property(lives, (connections) => {
      const backoff = new Backoff({ initialDelayMs: 100, maxDelayMs: 10_000 })
      let expected = 0
      for (const livedMs of connections) {
        if (livedMs !== undefined) {
          backoff.opened()
          vi.advanceTimersByTime(livedMs)
        }
        const wasStable = livedMs !== undefined && livedMs >= STABLE_AFTER_MS
        expect(backoff.ended()).toBe(wasStable)
        expected = wasStable ? 1 : expected + 1
        const full = Math.min(100 * 2 ** (expected - 1), 10_000)
        const delay = backoff.nextDelayMs()
        expect(delay).toBeGreaterThanOrEqual(full / 2)
        expect(delay).toBeLessThanOrEqual(full)
        expect(backoff.retries).toBe(expected)
      }
    }),
    { seed: 17 },
  )
})

/** One connection: how many events it brings, and how many events before the last id the server replays. */
const connections = fc.array(fc.record({ events: fc.nat(6), replayed: fc.nat(4) }), { minLength: 1, maxLength: 12 })

it('wherever a stream breaks off and whatever the server replays, every event is delivered once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(connections, fc.integer({ min: 1, max: 30 }), async (cuts, total) => {
      const cursor = new EventCursor()
      const delivered: number[] = []
      let connection = 0
      await resumeStream({
        cursor,
        signal: new AbortController().signal,
        policy: parseReconnectOptions(NO_DELAY),
        backoff: new Backoff(NO_DELAY),
        isBackground: false,
        isDone: () => delivered.length === total,
        connect: async () => {
          const { events, replayed } = cuts[connection] ?? { events: total, replayed: 0 }
          connection += 1
          const next = cursor.lastEventId === undefined ? 0 : Number(cursor.lastEventId) + 1
          const end = Math.min(total, next + events)
          for (let id = Math.max(0, next - replayed); id < end; id++) {
            if (cursor.accept({ id: String(id), event: undefined, data: 'x' })) delivered.push(id)
          }
          return undefined
        },
      })
      expect(delivered).toEqual(Array.from({ length: total }, (_, id) => id))
    }),
    { seed: 17, numRuns: 50 },
  )
})

it('a stream is given up after maxAttempts failures in a row, and a conflict counts only where a call waits', async () => {
  const outcome = fc.constantFrom('opened' as const, 'failed' as const, 'conflict' as const)
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      async (outcomes, maxAttempts, isBackground) => {
        let connection = 0
        const failure = new TransportError('down')
        const following = resumeStream({
          cursor: new EventCursor(),
          signal: new AbortController().signal,
          policy: parseReconnectOptions({ ...NO_DELAY, maxAttempts }),
          backoff: new Backoff(NO_DELAY),
          isBackground,
          isDone: () => connection === outcomes.length,
          connect: async () => {
            const each = outcomes[connection++]
            if (each === 'opened') return undefined
            return each === 'failed' ? failure : new StreamConflict('busy', { status: 409 })
          },
        })
        let inARow = 0
        const givenUpAfter = outcomes.findIndex((each) => {
          if (each === 'conflict' && isBackground) return false
          inARow = each === 'opened' ? 0 : inARow + 1
          return inARow === maxAttempts
        })
        if (givenUpAfter === -1) await following
        else await expect(following).rejects.toThrow(TransportError)
        expect(connection).toBe(givenUpAfter === -1 ? outcomes.length : givenUpAfter + 1)
      },
    ),
    { seed: 17, numRuns: 50 },
  )
})

it('a cursor remembers a bounded number of ids, however many a server sends, and never resumes after an id that no header carries', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), { maxLength: 50 }), (ids) => {
      const cursor = new EventCursor()
      for (const id of ids) cursor.accept({ id, event: undefined, data: '' })
      const { lastEventId } = cursor
      if (lastEventId === undefined) return
      expect(ids).toContain(lastEventId)
      expect(() => new Headers({ 'last-event-id': lastEventId })).not.toThrow()
    }),
    { seed: 17 },
  )
  const cursor = new EventCursor()
  const accepted = (id: number) => cursor.accept({ id: String(id), event: undefined, data: '' })
  for (let id = 0; id < 3 * MAX_SEEN_IDS; id++) {
    accepted(id)
    if (id % 100 === 0) cursor.disconnected()
  }
  cursor.disconnected()
  // The newest ids are recognised when they come again; the oldest are forgotten.
  expect(accepted(3 * MAX_SEEN_IDS - 1)).toBe(false)
  expect(accepted(2 * MAX_SEEN_IDS + 1)).toBe(false)
  expect(accepted(0)).toBe(true)
})
