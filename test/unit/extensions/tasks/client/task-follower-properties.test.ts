// Random servers and random callers: whatever a server does, the driver keeps its rules.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TaskFollower } from '../../../../../src/extensions/tasks/client/task-follower.ts'
import { TaskWatcher } from '../../../../../src/extensions/tasks/client/task-watcher.ts'
import { type WaitEnd, waitForEnd } from '../../../../../src/extensions/tasks/client/waiting.ts'
import { MCPError } from '../../../../../src/types/errors/errors.ts'
import { TransportError } from '../../../../../src/types/errors/failures.ts'
import type { TaskState } from '../../../../../src/types/extensions/tasks.ts'
import type { InputResponse } from '../../../../../src/types/features/input-required.ts'
import { completed, FakeClock, FakePort, question, settle, state, TASK_ID } from '../../../../support/fake-tasks.ts'

/** What a server answers to one poll. */
type Move =
  | { readonly kind: 'working'; readonly pollIntervalMs: number | undefined; readonly at: number }
  | { readonly kind: 'asks'; readonly keys: readonly string[]; readonly at: number }
  | { readonly kind: 'fails'; readonly status: number | undefined; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'hangs'; readonly forMs: number }
  | { readonly kind: 'notifies'; readonly at: number; readonly ends: boolean }
  | { readonly kind: 'drops' }

const KEYS = ['a', 'b', 'c', '__proto__'] as const
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant('working' as const),
    pollIntervalMs: fc.option(fc.oneof(fc.integer({ min: -10, max: 120_000 }), fc.double()), { nil: undefined }),
    at: fc.integer({ min: 0, max: 50 }),
  }),
  fc.record({
    kind: fc.constant('asks' as const),
    keys: fc.uniqueArray(fc.constantFrom(...KEYS)),
    at: fc.integer({ min: 0, max: 50 }),
  }),
  fc.record({
    kind: fc.constant('fails' as const),
    status: fc.constantFrom(undefined, 429, 502, 503, 504),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 90_000 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('hangs' as const), forMs: fc.integer({ min: 1, max: 20_000 }) }),
  fc.record({ kind: fc.constant('notifies' as const), at: fc.integer({ min: 0, max: 50 }), ends: fc.boolean() }),
  fc.record({ kind: fc.constant('drops' as const) }),
)

const caller = fc.record({
  abortAfterMs: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
  timeoutMs: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  maxTotalMs: fc.option(fc.integer({ min: 1, max: 400_000 }), { nil: undefined }),
})

const isoOf = (at: number) => new Date(1_767_225_600_000 + at * 1_000).toISOString()

/** A server that makes the given moves and then completes the task; keeps what a caller could see of the rules. */
class RandomServer extends FakePort {
  /** The interval that the server last asked for, and the earliest next poll that it allows. */
  earliest = -Infinity
  tooEarly: number[] = []
  readonly #moves: Move[]
  readonly #time: FakeClock

  constructor(clock: FakeClock, moves: readonly Move[]) {
    super(clock, [completed()])
    this.#moves = [...moves]
    this.#time = clock
    this.granted = (ids) => ids
  }

  override async get(taskId: string, options: { signal?: AbortSignal } = {}): Promise<TaskState> {
    const now = this.#time.monotonic()
    if (now < this.earliest) this.tooEarly.push(this.earliest - now)
    const next = this.#moves.shift()
    this.answers = [() => this.#make(next)]
    return super.get(taskId, options)
  }

  #drop(): void {
    const watch = this.watches.findLast(({ isClosed }) => !isClosed)
    if (watch === undefined) return
    watch.isClosed = true
    watch.receiver.ended()
  }

  async #make(next: Move | undefined): Promise<TaskState> {
    const now = this.#time.monotonic()
    switch (next?.kind) {
      case undefined:
        return completed()
      case 'working': {
        const { pollIntervalMs, at } = next
        const usable = pollIntervalMs !== undefined && Number.isFinite(pollIntervalMs)
        this.earliest = now + (usable ? Math.min(Math.max(pollIntervalMs, 100), 60_000) : 100)
        return state({ lastUpdatedAt: isoOf(at), ...(pollIntervalMs !== undefined && { pollIntervalMs }) })
      }
      case 'asks':
        this.earliest = now + 100
        return state({
          status: 'input_required',
          lastUpdatedAt: isoOf(next.at),
          inputRequests: Object.fromEntries(next.keys.map((key) => [key, question(key)])),
        })
      case 'fails': {
        this.earliest = now + Math.max(next.retryAfterMs ?? 0, 250)
        const { status, retryAfterMs } = next
        throw new TransportError('', { ...(status && { status }), ...(retryAfterMs !== undefined && { retryAfterMs }) })
      }
      case 'hangs':
        await new Promise<void>((resolve) => void this.#time.setTimer(resolve, next.forMs))
        this.earliest = this.#time.monotonic() + 100
        return state()
      case 'notifies': {
        this.earliest = now + 100
        const watch = this.watches.findLast(({ isClosed }) => !isClosed)
        watch?.receiver.changed(
          next.ends ? completed() : state({ lastUpdatedAt: isoOf(next.at), statusMessage: 'news' }),
        )
        return state()
      }
      case 'drops':
        this.earliest = now + 100
        this.#drop()
        return state()
    }
  }
}

describe('a task that is followed', () => {
  it('keeps the pace, answers each key once, ends for certain, and is silent after its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 25 }), caller, fc.boolean(), async (moves, limits, isWatched) => {
        const clock = new FakeClock()
        const server = new RandomServer(clock, moves)
        const asked: string[] = []
        const answer = async (key: string): Promise<InputResponse> => {
          asked.push(key)
          await new Promise<void>((resolve) => void clock.setTimer(resolve, asked.length * 700))
          return { action: 'accept', content: { key } }
        }
        const watcher = isWatched ? new TaskWatcher(server, clock) : undefined
        const keptUntil = clock.monotonic() + 3_600_000
        const follower = new TaskFollower({
          taskId: TASK_ID,
          port: server,
          clock,
          state: state(),
          keptUntil,
          watcher,
          answer,
        })
        const stop = new AbortController()
        const { abortAfterMs, timeoutMs, maxTotalMs } = limits
        if (abortAfterMs !== undefined) clock.setTimer(() => stop.abort(), abortAfterMs)
        const seen: TaskState[] = []
        let end: WaitEnd | undefined
        let stateAtEnd = 0
        void waitForEnd(follower, clock, {
          signal: stop.signal,
          onStatus: (next) => void seen.push(next),
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(maxTotalMs !== undefined && { maxTotalMs }),
        }).then((reached) => {
          end = reached
          stateAtEnd = seen.length
        })

        expect(await clock.runUntil(() => end !== undefined)).toBe(true)
        const pollsAtEnd = server.polls.length
        const updatesAtEnd = server.updates.length
        await clock.advance(600_000)

        expect(server.tooEarly).toEqual([])
        expect(new Set(asked).size).toBe(asked.length)
        expect(server.updates.length).toBeLessThanOrEqual(asked.length)
        const keys = server.updates.flatMap((update) => Object.keys(update))
        expect(new Set(keys).size).toBe(keys.length)
        expect([server.polls.length, server.updates.length, seen.length]).toEqual([
          pollsAtEnd,
          updatesAtEnd,
          stateAtEnd,
        ])
        expect(server.watches.every(({ isClosed }) => isClosed)).toBe(true)
        const isStopped = end?.kind === 'stopped'
        const mayStop = abortAfterMs !== undefined || timeoutMs !== undefined || maxTotalMs !== undefined
        if (!mayStop) expect(end?.kind).toBe('final')
        if (!isStopped) expect(seen.at(-1)?.status).toBe('completed')
        for (const [index, each] of seen.entries()) {
          const before = seen[index - 1]
          if (before !== undefined) expect(JSON.stringify(each)).not.toBe(JSON.stringify(before))
          if (each.status === 'completed') expect(index).toBe(seen.length - 1)
        }
        expect(clock.timers).toBe(0)
      }),
      { numRuns: 300 },
    )
  })

  it('whose server fails in any way is left alone after the error, and never asked again', async () => {
    const failure = fc.constantFrom(
      new MCPError(-32602, 'unknown'),
      new MCPError(-32603, 'broken'),
      new TransportError('', { status: 401 }),
      new TypeError('odd'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 5 }), failure, async (moves, error) => {
        const clock = new FakeClock()
        const server = new RandomServer(clock, moves)
        const get = server.get.bind(server)
        server.get = async (taskId, options) => {
          if (server.polls.length < moves.length) return get(taskId, options)
          server.polls.push(clock.monotonic())
          throw error
        }
        const answer = async (): Promise<InputResponse> => ({ action: 'decline' })
        const keptUntil = Infinity
        const follower = new TaskFollower({ taskId: TASK_ID, port: server, clock, state: state(), keptUntil, answer })
        let end: WaitEnd | undefined
        void waitForEnd(follower, clock, {}).then((reached) => {
          end = reached
        })
        expect(await clock.runUntil(() => end !== undefined)).toBe(true)
        const polls = server.polls.length
        await clock.advance(600_000)
        await settle()
        expect(server.polls.length).toBe(polls)
        const isUnknown = error instanceof MCPError && error.code === -32602
        expect(end?.kind).toBe(isUnknown ? 'gone' : 'given-up')
        expect(clock.timers).toBe(0)
      }),
      { numRuns: 150 },
    )
  })
})
