// Every operation of an engine has a deadline of ours, whatever its client library promises.
import { BackendError } from './backend-error.ts'

/** A timer that is later than this was behind something that blocked the event loop. */
export const LATE_MS = 50

/**
 * Calls `onLate` after `ms`. The returned function ends that. While a handler blocks the event loop the reply may have come and is not
 * read yet, and timers come before what is to be read: so one that is late waits once more, for as long as it was late.
 */
export function startDeadline(ms: number, onLate: () => void): () => void {
  const endsAt = performance.now() + ms
  let timer = setTimeout(() => {
    const lateMs = performance.now() - endsAt
    if (lateMs < LATE_MS) onLate()
    else timer = setTimeout(onLate, Math.min(ms, lateMs))
  }, ms)
  return () => clearTimeout(timer)
}

/** Rejects with `BackendError` of kind `timeout` when the work takes longer. What comes later is dropped. */
export function withinTime<T>(operation: string, timeoutMs: number, work: PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = startDeadline(timeoutMs, () => reject(tooLate(operation, timeoutMs, 'unknown')))
    work.then(
      (value) => {
        stop()
        resolve(value)
      },
      (error: unknown) => {
        stop()
        reject(error)
      },
    )
  })
}

/** `isLate` says whether its caller has been told meanwhile that it took too long. */
type Work<T> = (isLate: () => boolean) => Promise<T>

const IN_TIME = () => false

/**
 * Work of one process that comes one after the other. The deadline of each begins when it joins the line, not when its turn comes: an
 * engine that answers nothing would keep the last of them for as many deadlines as there are before it.
 */
export class Line {
  readonly #onEmpty: () => void
  #last: Promise<unknown> | undefined

  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty
  }

  /** What is late before its turn is not done. `Infinity` where nobody waits for it. */
  join<T>(operation: string, timeoutMs: number, work: Work<T>): Promise<T> {
    const before = this.#last
    return before === undefined ? this.#add(work(IN_TIME)) : this.#joinBehind(before, operation, timeoutMs, work)
  }

  #joinBehind<T>(before: Promise<unknown>, operation: string, timeoutMs: number, work: Work<T>): Promise<T> {
    let isLate = false
    let hasBegun = false
    const begin = () => {
      if (isLate) throw tooLate(operation, timeoutMs, 'not-done')
      hasBegun = true
      return work(() => isLate)
    }
    const done = this.#add(before.then(begin, begin))
    if (timeoutMs === Number.POSITIVE_INFINITY) return done
    return new Promise((resolve, reject) => {
      const stop = startDeadline(timeoutMs, () => {
        isLate = true
        reject(tooLate(operation, timeoutMs, hasBegun ? 'unknown' : 'not-done'))
      })
      done.then(stop, stop)
      done.then(resolve, reject)
    })
  }

  #add<T>(done: Promise<T>): Promise<T> {
    this.#last = done
    const leave = () => {
      if (this.#last !== done) return
      this.#last = undefined
      this.#onEmpty()
    }
    done.then(leave, leave)
    return done
  }
}

/** A line for each name, as long as there is work in it. */
export class Lines {
  readonly #lines = new Map<string, Line>()

  get size(): number {
    return this.#lines.size
  }

  join<T>(name: string, operation: string, timeoutMs: number, work: Work<T>): Promise<T> {
    let line = this.#lines.get(name)
    if (line === undefined) {
      line = new Line(() => this.#lines.delete(name))
      this.#lines.set(name, line)
    }
    return line.join(operation, timeoutMs, work)
  }
}

export function tooLate(operation: string, timeoutMs: number, outcome: 'not-done' | 'unknown'): BackendError {
  const message = `${operation} took longer than ${timeoutMs} ms. The engine is overloaded or out of reach.`
  return new BackendError(message, { kind: 'timeout', operation, outcome })
}
