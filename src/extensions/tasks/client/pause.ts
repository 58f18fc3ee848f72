// A pause on a clock that can be replaced.
import { forgetAbort, listenForAbort } from '../../../primitives/async/abort.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import { createDeferred } from '../../../primitives/async/promises.ts'
import { MAX_TIMER_MS } from '../../../primitives/async/timer.ts'

/** Calls `listener` once, unless the returned function is called before. A time that no timer can have never passes. */
export function after(clock: Clock, ms: number, listener: () => void): () => void {
  if (ms > MAX_TIMER_MS) return () => {}
  const timer = clock.setTimer(listener, Math.max(0, ms))
  return () => clock.clearTimer(timer)
}

/** Resolves after this time, or once `wake` is called. Rejects with the reason of the signal when that aborts. */
export async function pauseFor(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  onStart?: (wake: () => void) => void,
): Promise<void> {
  signal.throwIfAborted()
  const over = createDeferred()
  const stop = () => over.reject(signal.reason)
  const cancelTimer = after(clock, ms, over.resolve)
  listenForAbort(signal, stop)
  onStart?.(over.resolve)
  try {
    await over.promise
  } finally {
    cancelTimer()
    forgetAbort(signal, stop)
  }
}
