// A store that fails, as clients hear of it: what they can do, and nothing about the engine.
import { BackendError } from '../../../../backend/backend-error.ts'
import { ErrorCode } from '../../../../types/errors/error-codes.ts'
import { MCPError } from '../../../../types/errors/errors.ts'

/** When a client may try again. */
const RETRY_AFTER_MS = 1_000

/** `error` itself where it is anything else than a limit of the store. */
export function toLimitError(error: unknown): unknown {
  if (!(error instanceof BackendError) || error.limit === undefined) return error
  const { name, max } = error.limit
  const limit = `limits.${name}`
  const message = `The tasks that are kept take too much memory (${limit}: ${max}). Send less, or wait until some are gone.`
  return new MCPError(ErrorCode.InternalError, message, { limit, max }, { cause: error })
}

/** `error` itself where it does not come from the store. Whoever gets `retryAfterMs` may send the same request again. */
export function toClientError(error: unknown): unknown {
  const limited = toLimitError(error)
  if (!(limited instanceof BackendError)) return limited
  if (limited.kind === 'too-large') {
    const message = 'What was sent is too large for a task. Send less, or a link to a resource.'
    return new MCPError(ErrorCode.InvalidParams, message, undefined, { cause: error })
  }
  const message =
    limited.kind === 'newer-data'
      ? 'The task was written by a newer release of this server, which this process cannot read. Try again in a moment.'
      : 'The server cannot reach its tasks now. Try again in a moment.'
  return new MCPError(ErrorCode.InternalError, message, { retryAfterMs: RETRY_AFTER_MS }, { cause: error })
}

/** Whether the engine is away or too busy, so that the same operation may succeed later. */
export function isEngineAway(error: unknown): boolean {
  if (!(error instanceof BackendError) || error.limit !== undefined) return false
  return error.kind === 'unavailable' || error.kind === 'timeout' || error.kind === 'refused'
}

/** Whether the operation may have taken effect although it failed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof BackendError && error.outcome === 'unknown'
}
