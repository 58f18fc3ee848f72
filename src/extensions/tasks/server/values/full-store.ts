// A store that is full, as clients hear of it.
import { BackendError } from '../../../../backend/backend-error.ts'
import { ErrorCode } from '../../../../types/errors/error-codes.ts'
import { MCPError } from '../../../../types/errors/errors.ts'

/** `error` itself where it is anything else than a limit of the store. */
export function toLimitError(error: unknown): unknown {
  if (!(error instanceof BackendError) || error.limit === undefined) return error
  const { name, max } = error.limit
  const limit = `limits.${name}`
  const message = `The tasks that are kept take too much memory (${limit}: ${max}). Send less, or wait until some are gone.`
  return new MCPError(ErrorCode.InternalError, message, { limit, max }, { cause: error })
}

/** The same promise, but for limits of the store. */
export function withLimitErrors<T>(written: Promise<T>): Promise<T> {
  return written.catch((error: unknown) => {
    throw toLimitError(error)
  })
}
