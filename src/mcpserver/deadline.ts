// The time that a tool may take: past it the signal of the run aborts and nobody waits for the rest.
import { forgetAbort, listenForAbort } from '../primitives/abort.ts'
import { createDeferred } from '../primitives/deferred.ts'
import { MAX_TIMER_MS, monotonicNow, type Timer } from '../primitives/timer.ts'

/** A signal that aborts with the one around it, or when the time is up. Must be stopped. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #onDue: () => void
  #leftMs: number
  #startedAt = 0
  #timer: Timer | undefined
  #pauses = 0
  #isStopped = false

  constructor(timeoutMs: number, outer: AbortSignal, onDue: () => void) {
    this.#leftMs = timeoutMs
    this.#outer = outer
    this.#onDue = onDue
    if (outer.aborted) this.#follow()
    else listenForAbort(outer, this.#follow)
    this.#start()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Somebody else's time does not count: the user may think about a question as long as they like. */
  async pausedWhile<T>(wait: Promise<T>): Promise<T> {
    this.#pauses += 1
    if (this.#pauses === 1) this.#halt()
    try {
      return await wait
    } finally {
      this.#pauses -= 1
      if (this.#pauses === 0) this.#start()
    }
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    forgetAbort(this.#outer, this.#follow)
  }

  readonly #follow = (): void => {
    this.#controller.abort(this.#outer.reason)
    this.stop()
  }

  #start(): void {
    if (this.#isStopped) return
    this.#startedAt = monotonicNow()
    this.#timer = setTimeout(() => this.#expire(), Math.min(this.#leftMs, MAX_TIMER_MS))
  }

  #halt(): void {
    clearTimeout(this.#timer)
    this.#leftMs = Math.max(0, this.#leftMs - (monotonicNow() - this.#startedAt))
  }

  #expire(): void {
    this.#controller.abort(new DOMException('The tool ran out of time', 'TimeoutError'))
    this.#onDue()
  }
}

export interface TimeLimit {
  readonly timeoutMs: number
  /** What is thrown when the time is up. */
  createError(): Error
}

/** Runs something that may take so long. Past that it rejects, and what still comes is ignored. */
export async function runWithin<T>(
  { timeoutMs, createError }: TimeLimit,
  outer: AbortSignal,
  run: (deadline: Deadline) => T | PromiseLike<T>,
): Promise<T> {
  const expired = createDeferred<never>()
  const deadline = new Deadline(timeoutMs, outer, () => expired.reject(createError()))
  try {
    return await Promise.race([run(deadline), expired.promise])
  } finally {
    deadline.stop()
  }
}
