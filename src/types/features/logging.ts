// Log messages from a server to its client.
import type { NotificationParams, RequestParams } from '../protocol/base.ts'

/**
 * The severities of RFC 5424, least severe first.
 * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
 */
export const LOGGING_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

/**
 * How serious a log message is, from `debug` to `emergency`, as in syslog.
 * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
 */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number]

/**
 * Until 2025-11-25.
 * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
 */
export type SetLevelRequestParams = RequestParams & {
  /** This level and all above it are wanted. */
  level: LoggingLevel
}

/**
 * Until 2025-11-25; since then a request asks in its `_meta`.
 * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
 */
export interface SetLevelRequest {
  /** `logging/setLevel` sets the lowest level of log messages that the server sends. */
  method: 'logging/setLevel'
  /** Holds the level. */
  params: SetLevelRequestParams
}

/**
 * A log message of the server.
 * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
 */
export type LoggingMessageNotificationParams = NotificationParams & {
  /** How serious the message is. */
  level: LoggingLevel
  /** Which part of the server speaks. */
  logger?: string
  /** Any JSON value. */
  data: unknown
}

/**
 * The server sends a log message.
 * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
 */
export interface LoggingMessageNotification {
  /** Names the notification: a log message. */
  method: 'notifications/message'
  /** The level and the data of the log message. */
  params: LoggingMessageNotificationParams
}
