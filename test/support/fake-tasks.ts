// A clock that stands still until a test moves it, and a server of tasks that does what a test says.

import type { TaskPort, TaskWatchReceiver } from '../../src/extensions/tasks/client/port.ts'
import { listenForAbort } from '../../src/primitives/async/abort.ts'
import type { Clock } from '../../src/primitives/async/clock.ts'
import type { Timer } from '../../src/primitives/async/timer.ts'
import { MCPError } from '../../src/types/errors/errors.ts'
import type { TaskState } from '../../src/types/extensions/tasks.ts'
import type { InputResponses } from '../../src/types/features/input-required.ts'

/** Enough turns for everything that follows from one event without a timer. */
const TURNS = 30

export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve()
}

export class FakeClock implements Clock {
  #now = 1_000_000
  readonly #timers = new Set<{ at: number; listener: () => void }>()

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  setTimer(listener: () => void, ms: number): Timer {
    const timer = { at: this.#now + Math.max(0, ms), listener }
    this.#timers.add(timer)
    return timer as unknown as Timer
  }

  clearTimer(timer: Timer | undefined): void {
    this.#timers.delete(timer as unknown as { at: number; listener: () => void })
  }

  get timers(): number {
    return this.#timers.size
  }

  /** Moves to each timer on the way, and lets everything happen that follows from it. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    await settle()
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.listener()
      await settle()
    }
    this.#now = until
    await settle()
  }

  /** Moves from timer to timer until the condition holds. `false` where no timer is left, or after so many. */
  async runUntil(condition: () => boolean, maxTimers = 10_000): Promise<boolean> {
    await settle()
    for (let count = 0; count < maxTimers && !condition(); count += 1) {
      const next = Math.min(...[...this.#timers].map(({ at }) => at))
      if (next === Infinity) break
      await this.advance(next - this.#now)
    }
    return condition()
  }
}

export const TASK_ID = 'task-1'

/** A state of the task, `working` unless a test says otherwise. */
export function state(members: Partial<TaskState> = {}): TaskState {
  return {
    taskId: TASK_ID,
    status: 'working',
    createdAt: '2026-01-01T00:00:00.000Z',
    lastUpdatedAt: '2026-01-01T00:00:00.000Z',
    ttlMs: 3_600_000,
    ...members,
  }
}

export function completed(text = 'done'): TaskState {
  return state({ status: 'completed', result: { resultType: 'complete', content: [{ type: 'text', text }] } })
}

export function question(message: string): {
  method: 'elicitation/create'
  params: { message: string; requestedSchema: never }
} {
  const requestedSchema = { type: 'object', properties: {} } as never
  return { method: 'elicitation/create', params: { message, requestedSchema } }
}

type Answer = TaskState | Error | (() => TaskState | Promise<TaskState>)

/** Plays the given answers in order; the last one again and again. */
export class FakePort implements TaskPort {
  readonly dialect = 'extension'
  readonly polls: number[] = []
  readonly cancels: string[] = []
  readonly updates: InputResponses[] = []
  readonly ended = new AbortController()
  readonly watches: { ids: readonly string[]; receiver: TaskWatchReceiver; isClosed: boolean }[] = []
  answers: Answer[]
  onUpdate: (responses: InputResponses) => void | Promise<void> = () => {}
  /** `undefined` for a server without subscriptions. */
  granted: ((ids: readonly string[]) => readonly string[]) | undefined
  readonly #clock: Clock

  constructor(clock: Clock, answers: Answer[]) {
    this.#clock = clock
    this.answers = answers
  }

  get endSignal(): AbortSignal {
    return this.ended.signal
  }

  async get(_taskId: string, { signal }: { signal?: AbortSignal } = {}): Promise<TaskState> {
    this.polls.push(this.#clock.now())
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0]
    if (answer === undefined) throw new Error('The fake server has no answer.')
    if (answer instanceof Error) throw answer
    if (typeof answer !== 'function') return answer
    return new Promise((resolve, reject) => {
      if (signal !== undefined) listenForAbort(signal, () => reject(signal.reason))
      Promise.resolve(answer()).then(resolve, reject)
    })
  }

  async update(_taskId: string, responses: InputResponses): Promise<void> {
    this.updates.push(responses)
    await this.onUpdate(responses)
  }

  async cancel(taskId: string): Promise<void> {
    this.cancels.push(taskId)
  }

  async watch(ids: readonly string[], receiver: TaskWatchReceiver) {
    if (this.granted === undefined) throw new MCPError(-32601, 'This server has no subscriptions.')
    const watch = { ids, receiver, isClosed: false }
    this.watches.push(watch)
    const close = () => {
      watch.isClosed = true
    }
    return { granted: new Set(this.granted(ids)), close }
  }
}

/** The times between the polls. */
export function gaps(polls: readonly number[]): number[] {
  return polls.slice(1).map((at, index) => Math.round(at - (polls[index] ?? 0)))
}
