// Going on with what is there now or comes later, without a promise where none is needed.
import type { MaybePromise } from '../../server/handlers.ts'

/** Anything that can be awaited counts: query builders and the like are no `Promise`, yet have a `then`. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** Calls `next` with the value, at once if it is there. */
export function whenDone<T, R>(value: T | PromiseLike<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  if (!isThenable(value)) return next(value as T)
  return value instanceof Promise ? value.then(next) : Promise.resolve(value as PromiseLike<T>).then(next)
}
