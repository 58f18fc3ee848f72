// Every operation of an engine has a deadline of ours, whatever its client library promises.
import { BackendError } from '../backend-error.ts'

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

export function tooLate(operation: string, timeoutMs: number, outcome: 'not-done' | 'unknown'): BackendError {
  const message = `${operation} took longer than ${timeoutMs} ms. The engine is overloaded or out of reach.`
  return new BackendError(message, { kind: 'timeout', operation, outcome })
}
