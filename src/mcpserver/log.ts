// Log messages to the client, by level.
import type { ServerSession } from '../server/session.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../types/logging.ts'

/** Sends one message. `data` is any JSON; `logger` names the part of the server that speaks. */
export type LogAtLevel = (data: unknown, logger?: string) => Promise<void>

/**
 * `log.info('…')`, or `log(level, '…')` where the level is chosen at run time. A client that does not want to see a level is
 * not bothered; since 2026-07-28 it has to ask with each request.
 */
export type Log = { readonly [Level in LoggingLevel]: LogAtLevel } & ((
  level: LoggingLevel,
  data: unknown,
  logger?: string,
) => Promise<void>)

/** Spec, Logging: a server that sends log messages declares it, so one that does not declare it sends none. */
export function createLog(session: ServerSession, isDeclared: boolean): Log {
  const log = async (level: LoggingLevel, data: unknown, logger?: string) => {
    if (isDeclared) await session.sendLogMessage(level, data, logger)
  }
  const levels = {} as Record<LoggingLevel, LogAtLevel>
  for (const level of LOGGING_LEVELS) levels[level] = (data, logger) => log(level, data, logger)
  return Object.assign(log, levels)
}
