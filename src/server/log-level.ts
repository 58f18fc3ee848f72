// Which log messages a client wants to see.
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../types/logging.ts'

const SEVERITY: ReadonlyMap<unknown, number> = new Map(LOGGING_LEVELS.map((level, severity) => [level, severity]))

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return SEVERITY.has(value)
}

/** The level that a client named, or `MCPError` -32602 when there is no such level. */
export function requireLoggingLevel(value: unknown): LoggingLevel {
  if (isLoggingLevel(value)) return value
  throw new MCPError(ErrorCode.InvalidParams, `Unknown log level; the levels are ${LOGGING_LEVELS.join(', ')}`)
}

/** Whether `level` is `minimum` or more severe. Without a minimum everything is; a word that is no level never is. */
export function isLevelEnabled(level: LoggingLevel, minimum: LoggingLevel | undefined): boolean {
  const severity = SEVERITY.get(level)
  const least = minimum === undefined ? 0 : SEVERITY.get(minimum)
  return severity !== undefined && least !== undefined && severity >= least
}

/** What is known of a client's wish. A `Connection` is one. */
export interface LogWish {
  /** Set by `logging/setLevel` or, since 2026-07-28, by the request being handled. */
  readonly logLevel: LoggingLevel | undefined
  /** Whether a client that named no level wants nothing, rather than everything. */
  readonly isLogSilentByDefault: boolean
}

/**
 * Whether a message of this level may be sent. Before `logging/setLevel` was called everything is; since 2026-07-28
 * nothing is unless the request asks for it.
 */
export function wantsLogMessage(level: LoggingLevel, { logLevel, isLogSilentByDefault }: LogWish): boolean {
  if (logLevel === undefined && isLogSilentByDefault) return false
  return isLevelEnabled(level, logLevel)
}
