// What the peer may read when something throws: one policy, on every path.

import { ErrorCode } from '../types/errors/error-codes.ts'
import { isForCaller, isUnaskable, MCPError } from '../types/errors/errors.ts'
import { LimitError } from '../types/errors/failures.ts'
import type { ErrorData } from '../types/protocol/jsonrpc.ts'

/** What a peer reads of a failure whose details are hidden from it. */
export const INTERNAL_ERROR: ErrorData = Object.freeze({ code: ErrorCode.InternalError, message: 'Internal error' })

/** What became of an exception: what the peer reads, and whether that hides something which should be reported here. */
interface Disclosure {
  readonly data: ErrorData
  readonly hidden: boolean
}

/**
 * The one place where an exception becomes something the peer may read. An `MCPError` was meant for it, unless it came about
 * in a call that the handler made: our own timeouts and the answers of third parties say nothing to the other side.
 */
export function disclose(error: unknown): Disclosure {
  try {
    if (isForCaller(error)) return { data: error.toErrorData(), hidden: false }
    if (isUnaskable(error)) return { data: { code: ErrorCode.InternalError, message: error.message }, hidden: true }
  } catch {
    // An error that throws when it is read says nothing to the peer either.
  }
  return { data: INTERNAL_ERROR, hidden: true }
}

/** The error of a call whose connection went away. */
export function connectionClosedError(reason?: Error): MCPError {
  const message = reason === undefined ? 'Connection closed' : `Connection closed: ${reason.message}`
  return new MCPError(ErrorCode.ConnectionClosed, message, undefined, { local: true, cause: reason })
}

/** What the caller reads instead of an answer that could not be sent. */
export function unsentError(reason: unknown): ErrorData {
  if (!(reason instanceof LimitError)) return INTERNAL_ERROR
  const { limit, max } = reason
  return { code: ErrorCode.InternalError, message: 'The answer is too large', data: { limit, max } }
}
