// Waiting, in a way that the caller can end.
import { forgetAbort, listenForAbort } from './abort.ts'
import { createDeferred } from './deferred.ts'
import { unref } from './timer.ts'

export interface PauseOptions {
  signal?: AbortSignal | undefined
  /** Nobody waits for what comes after, so that the process may end meanwhile. */
  isBackground?: boolean
}

/** Rejects with the signal's reason when that aborts. */
export async function pause(ms: number, { signal, isBackground = false }: PauseOptions = {}): Promise<void> {
  if (signal?.aborted) throw signal.reason
  const over = createDeferred()
  const stop = () => over.reject(signal?.reason)
  const timer = setTimeout(over.resolve, ms)
  if (isBackground) unref(timer)
  if (signal !== undefined) listenForAbort(signal, stop)
  try {
    await over.promise
  } finally {
    clearTimeout(timer)
    if (signal !== undefined) forgetAbort(signal, stop)
  }
}
