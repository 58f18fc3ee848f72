// Limits work in time and by a signal, even if the work ignores both.
import { followAny, unlessAborted } from '../../../primitives/async/abort.ts'
import { MAX_TIMER_MS } from '../../../primitives/async/timer.ts'

/** Runs `work` for at most `ms` and until the signal aborts; then rejects with `createTimeout()` or the signal's reason. */
export async function withinDeadline<T>(
  signal: AbortSignal,
  ms: number,
  createTimeout: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(createTimeout()), Math.min(ms, MAX_TIMER_MS))
  const both = followAny([signal, limit.signal])
  try {
    return await unlessAborted(work(both.signal), both.signal)
  } catch (error) {
    throw both.signal.aborted ? both.signal.reason : error
  } finally {
    clearTimeout(timer)
    both.stop()
  }
}
