// How far a request has come.
import type { NotificationParams } from './base.ts'
import type { ProgressToken, RequestId } from './jsonrpc.ts'

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

export type CancelledNotificationParams = NotificationParams & {
  /**
   * One of the sender's own requests, or the `subscriptions/listen` that a server ends since 2026-07-28.
   * Required, except that 2025-11-25 lets it be absent.
   */
  requestId?: RequestId
  /** For logs and people. */
  reason?: string
}

export interface CancelledNotification {
  method: 'notifications/cancelled'
  params: CancelledNotificationParams
}
