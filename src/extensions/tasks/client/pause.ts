// A pause on a clock that can be replaced.
import { forgetAbort, listenForAbort } from '../../../primitives/async/abort.ts'
import { createDeferred } from '../../../primitives/async/promises.ts'
import type { Clock } from './clock.ts'

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
  const cancelTimer = clock.after(ms, over.resolve)
  listenForAbort(signal, stop)
  onStart?.(over.resolve)
  try {
    await over.promise
  } finally {
    cancelTimer()
    forgetAbort(signal, stop)
  }
}
