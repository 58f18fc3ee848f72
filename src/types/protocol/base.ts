// What all requests, notifications and results have in common, and the two notifications about any request: progress, cancelled.
import type { JSONObject } from './json.ts'
import type { ProgressToken, RequestId } from './jsonrpc.ts'
import type { MessageMetaObject, NotificationMetaObject, RequestMetaObject, ResultMetaObject } from './meta.ts'

/** Any request, without its JSON-RPC envelope. */
export interface Request {
  method: string
  params?: JSONObject
}

/** Any notification, without its JSON-RPC envelope. */
export interface Notification {
  method: string
  params?: JSONObject
}

// Params and results are type aliases, here and in all other files: TypeScript takes an alias, but no interface, where a
// `JSONObject` is asked for, and unlike an index signature an alias still catches a misspelt member.
export type RequestParams = {
  /** Required since 2026-07-28. */
  _meta?: RequestMetaObject
}

export type NotificationParams = {
  /** Values beside the notification, such as trace context. */
  _meta?: NotificationMetaObject
}

/** The result types of the specification itself. Extensions bring their own, such as `task`. */
export const CORE_RESULT_TYPES = ['complete', 'input_required'] as const

export type CoreResultType = (typeof CORE_RESULT_TYPES)[number]

/** What kind of result this is. A result without one is `complete`. */
export type ResultType = CoreResultType | (string & {})

/** Any result. Open, because a method of a vendor answers what it likes. */
export interface Result {
  _meta?: ResultMetaObject
  /** Required since 2026-07-28. */
  resultType?: ResultType
  [key: string]: unknown
}

/** A result that is the answer, as opposed to one that asks for input or belongs to an extension. */
export type FinishedResult = {
  /** Values beside the result that are not for the model, such as trace context. */
  _meta?: ResultMetaObject
  /** Required since 2026-07-28; servers of this package add it where the revision has it. */
  resultType?: 'complete'
}

/** A result that never has a `resultType`: those of the handshake alone, and all that clients give. */
export type PlainResult = {
  _meta?: MessageMetaObject
}

/** A result without members of its own. */
export type EmptyResult = FinishedResult

/** Who may be given a stored copy: anyone, or only the caller it was made for. */
export type CacheScope = 'public' | 'private'

export type CacheableResult = FinishedResult & {
  /** How long the result stays fresh, in whole milliseconds; 0 is not at all. Required since 2026-07-28. */
  ttlMs?: number
  /** Required since 2026-07-28. */
  cacheScope?: CacheScope
}

/** Opaque: not to be read, made or changed. The empty string is a cursor like any other. */
export type Cursor = string

export type PaginatedRequestParams = RequestParams & {
  /** The `nextCursor` of the page before; absent for the first page. */
  cursor?: Cursor
}

export interface PaginatedRequest {
  method: string
  params?: PaginatedRequestParams
}

export type PaginatedResult = FinishedResult & {
  /** Absent on the last page, and only there. */
  nextCursor?: Cursor
}

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
  /** Names the notification: progress of a request. */
  method: 'notifications/progress'
  /** How far the request has come. */
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
