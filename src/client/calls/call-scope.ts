// Calls within other work, as a handler of a server that calls another server: they end with that work.
import { followAny } from '../../primitives/async/abort.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ClientToolCallOptions } from '../client-options.ts'

/** Work that a call is part of, such as the `ctx` of a handler. */
export interface CallScope {
  /** Aborts when the work ends. The call then ends too. */
  readonly signal: AbortSignal
  /** How long the work may still take, in milliseconds; `undefined` for no limit. */
  readonly remainingMs?: number | undefined
}

type ScopedOptions = ClientToolCallOptions & { readonly within: CallScope }

/** Makes the call with the signal and the rest of the time of its scope, beside its own. */
export async function callWithin<R>(
  options: ScopedOptions,
  call: (options: ClientToolCallOptions) => Promise<R>,
): Promise<R> {
  const { within, signal, ...rest } = options
  const limits = signal === undefined ? [within.signal] : [within.signal, signal]
  const { remainingMs = Infinity } = within
  if (remainingMs <= 0 && !within.signal.aborted) throw noTimeLeft()
  const maxTotalMs = Math.min(rest.maxTotalMs ?? Infinity, remainingMs)
  const ended = followAny(limits)
  try {
    return await call({ ...rest, signal: ended.signal, ...(maxTotalMs !== Infinity && { maxTotalMs }) })
  } finally {
    ended.stop()
  }
}

function noTimeLeft(): MCPError {
  const message = "Request 'tools/call' was not sent, because no time is left of the work that it belongs to."
  return new MCPError(ErrorCode.RequestTimeout, message, undefined, { local: true })
}
