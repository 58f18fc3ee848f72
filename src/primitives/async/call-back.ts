// Callbacks of users that nobody waits for.
import { isThenable } from './promises.ts'

/**
 * Calls a function of a user with a value, and goes on at once. What it throws, or rejects with later, goes to `failed` and nowhere
 * else: an async function fits every callback type that returns `void`, and a rejection that nobody hears ends a process.
 */
export function callBack<T>(callback: (value: T) => unknown, value: T, failed: (error: unknown) => void): void {
  try {
    const returned = callback(value)
    if (isThenable(returned)) Promise.resolve(returned).then(undefined, failed)
  } catch (error) {
    failed(error)
  }
}
