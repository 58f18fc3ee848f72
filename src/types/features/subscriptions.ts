// Subscriptions (2026-07-28): one request that stays open and delivers changes.
import type { FinishedResult, NotificationParams, RequestParams } from '../protocol/base.ts'
import type { RequestId } from '../protocol/jsonrpc.ts'
import type { ResultMetaObject } from '../protocol/meta.ts'

/** Which changes are asked for, or granted. */
export interface SubscriptionFilter {
  /** The server announces changes of the list of tools. */
  toolsListChanged?: boolean
  /** The server announces changes of the list of prompts. */
  promptsListChanged?: boolean
  /** The server announces changes of the list of resources. */
  resourcesListChanged?: boolean
  /** The URIs to watch. */
  resourceSubscriptions?: string[]
}

/** What the server should announce. */
export type SubscriptionsListenRequestParams = RequestParams & {
  /** The lists and resources to watch. */
  notifications: SubscriptionFilter
}

/** Requests announcements of changes. Its answer comes when the subscription ends. */
export interface SubscriptionsListenRequest {
  /** `subscriptions/listen` opens a subscription. */
  method: 'subscriptions/listen'
  /** What to announce. */
  params: SubscriptionsListenRequestParams
}

/** The `_meta` of the result that ends a subscription. */
export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  /** The id of the `subscriptions/listen` request. */
  'io.modelcontextprotocol/subscriptionId': RequestId
}

/** Sent when the server ends the subscription in good order, and not before. */
export type SubscriptionsListenResult = FinishedResult & {
  _meta: SubscriptionsListenResultMetaObject
}

/** What the server will announce. */
export type SubscriptionsAcknowledgedNotificationParams = NotificationParams & {
  /** The part of what was asked for that the server grants. */
  notifications: SubscriptionFilter
}

/** The first message of a subscription. */
export interface SubscriptionsAcknowledgedNotification {
  /** Names the notification: the server has accepted a subscription. */
  method: 'notifications/subscriptions/acknowledged'
  /** What the server will announce, which may be less than was requested. */
  params: SubscriptionsAcknowledgedNotificationParams
}
