// Every operation of an engine has a deadline of ours, whatever its client library promises.
import { BackendError } from '../backend-error.ts'

/** Rejects with `BackendError` of kind `timeout` when the work takes longer. What comes later is dropped. */
export function withinTime<T>(operation: string, timeoutMs: number, work: PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(tooLate(operation, timeoutMs, 'unknown'))
    }, timeoutMs)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

export function tooLate(operation: string, timeoutMs: number, outcome: 'not-done' | 'unknown'): BackendError {
  const message = `${operation} took longer than ${timeoutMs} ms. The engine is overloaded or out of reach.`
  return new BackendError(message, { kind: 'timeout', operation, outcome })
}
