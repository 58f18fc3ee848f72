// One limit of time over several requests and what happens between them, as a signal.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'

export interface TotalTime {
  /** Aborts with the caller's signal, or when the time is up. */
  readonly signal: AbortSignal | undefined
  /** Must be called when nothing waits any more. */
  clear(): void
}

/** `overdue` makes the reason that the signal aborts with. Without a limit, the caller's own signal does. */
export function limitTotalTime(
  ms: number | undefined,
  caller: AbortSignal | undefined,
  overdue: () => Error,
): TotalTime {
  if (ms === undefined || ms > MAX_TIMER_MS || caller?.aborted) return { signal: caller, clear: () => {} }
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(overdue()), Math.max(0, ms))
  const follow = () => controller.abort(caller?.reason)
  if (caller !== undefined) listenForAbort(caller, follow)
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer)
      if (caller !== undefined) forgetAbort(caller, follow)
    },
  }
}

/** The error of a call that has used up its time in all. */
export function notInTime(method: string, ms: number | undefined): MCPError {
  const message = `Request '${method}' was not answered within ${ms} ms in all`
  return new MCPError(ErrorCode.RequestTimeout, message, undefined, { local: true })
}
