// A store that fails, as clients hear of it: what they can do, and nothing about the engine.
import { BackendError } from '../../../../backend/backend-error.ts'
import { ErrorCode } from '../../../../types/errors/error-codes.ts'
import { MCPError } from '../../../../types/errors/errors.ts'

/** When a client may try again. */
const RETRY_AFTER_MS = 1_000

/** The limits for all tasks together. Others are those of an engine for a single value. */
const LIMITS_OF_ALL = ['maxBytes', 'maxBytesPerOwner']

/** `error` itself where it is anything else than a limit of the store. */
export function toLimitError(error: unknown): unknown {
  if (!(error instanceof BackendError)) return error
  const { name, max } = error.limit ?? {}
  if (name !== undefined && LIMITS_OF_ALL.includes(name)) {
    const limit = `limits.${name}`
    const message = `The tasks that are kept take too much space (${limit}: ${max}). Send less, or wait until some are gone.`
    return new MCPError(ErrorCode.InternalError, message, { limit, max }, { cause: error })
  }
  if (error.kind !== 'too-large') return error
  return new MCPError(ErrorCode.InvalidParams, tooLarge(max), undefined, { cause: error })
}

function tooLarge(max: number | undefined): string {
  const limit = max === undefined ? '' : ` Its store takes values of up to ${max} bytes.`
  return `A value is too large for a task.${limit} Send less, or a link to a resource.`
}

/** `error` itself where it does not come from the store. Whoever gets `retryAfterMs` may send the same request again. */
export function toClientError(error: unknown): unknown {
  const limited = toLimitError(error)
  if (!(limited instanceof BackendError)) return limited
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
