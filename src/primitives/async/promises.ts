// Promises: how to settle them from outside, and how to tell them from plain values.

/** A value that is there now or comes later. The hot path makes no promise that it does not need. */
export type MaybePromise<T> = T | Promise<T>

/** Stands in for the result of `Promise.withResolvers`, which Node 20 lacks. */

export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T | PromiseLike<T>): void
  reject(reason: unknown): void
}

export function createDeferred<T = void>(): Deferred<T> {
  let resolve!: Deferred<T>['resolve']
  let reject!: Deferred<T>['reject']
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Promises of any make: those of another realm or library are no instances of ours, and query builders only have a `then`. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  if (value instanceof Promise) return true
  if (typeof value !== 'object' || value === null) return false
  try {
    return typeof (value as { then?: unknown }).then === 'function'
  } catch {
    // A getter that throws, or a revoked proxy: it can't be awaited.
    return false
  }
}

/** Calls `next` with the value, at once if it is there. */
export function whenDone<T, R>(value: T | PromiseLike<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  if (!isThenable(value)) return next(value as T)
  return value instanceof Promise ? value.then(next) : Promise.resolve(value as PromiseLike<T>).then(next)
}
