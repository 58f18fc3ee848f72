// How far a request has come.
import type { NotificationParams } from './base.ts'
import type { ProgressToken } from './jsonrpc.ts'

export type ProgressNotificationParams = NotificationParams & {
  /** The token that the request carried in its `_meta`. */
  progressToken: ProgressToken
  /** Grows with every notification, even where the total is unknown. */
  progress: number
  total?: number
  /** For people; since 2025-03-26. */
  message?: string
}

/** In both directions until 2025-11-25; from servers only since 2026-07-28. */
export interface ProgressNotification {
  method: 'notifications/progress'
  params: ProgressNotificationParams
}
