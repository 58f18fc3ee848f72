// Giving up a request that is still under way.
import type { NotificationParams } from './base.ts'
import type { RequestId } from './jsonrpc.ts'

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
