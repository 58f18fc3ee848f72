// What all requests, notifications and results have in common, and the two notifications about any request: progress, cancelled.
import type { JSONObject } from './json.ts'
import type { ProgressToken, RequestId } from './jsonrpc.ts'
import type { MessageMetaObject, NotificationMetaObject, RequestMetaObject, ResultMetaObject } from './meta.ts'

/** Any request, without its JSON-RPC envelope. */
export interface Request {
  /** What is requested, such as `tools/call`. */
  method: string
  /** The input of the method. Left out if it needs none. */
  params?: JSONObject
}

/** Any notification, without its JSON-RPC envelope. */
export interface Notification {
  /** What is announced, such as `notifications/progress`. */
  method: string
  /** The details. Left out if there are none. */
  params?: JSONObject
}

// Params and results are type aliases, here and in all other files: TypeScript takes an alias, but no interface, where a
// `JSONObject` is asked for, and unlike an index signature an alias still catches a misspelt member.
/** What the params of every request can hold. */
export type RequestParams = {
  /** Required since 2026-07-28. */
  _meta?: RequestMetaObject
}

/** What the params of every notification can hold. */
export type NotificationParams = {
  /** Values beside the notification, such as trace context. */
  _meta?: NotificationMetaObject
}

/** The result types of the specification itself. Extensions bring their own, such as `task`. */
export const CORE_RESULT_TYPES = ['complete', 'input_required'] as const

/** The values of `resultType` that the specification defines. Extensions add their own. */
export type CoreResultType = (typeof CORE_RESULT_TYPES)[number]

/** What kind of result this is. A result without one is `complete`. */
export type ResultType = CoreResultType | (string & {})

/** Any result. Open, because a method of a vendor answers what it likes. */
export interface Result {
  /** Values beside the result that are not for the model, such as trace context. */
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
  /** Values beside the message, such as trace context. */
  _meta?: MessageMetaObject
}

/** A result without members of its own. */
export type EmptyResult = FinishedResult

/** Who may be given a stored copy: anyone, or only the caller it was made for. */
export type CacheScope = 'public' | 'private'

/** A result that says how long clients may keep it. */
export type CacheableResult = FinishedResult & {
  /** How long the result stays fresh, in whole milliseconds; 0 is not at all. Required since 2026-07-28. */
  ttlMs?: number
  /** Required since 2026-07-28. */
  cacheScope?: CacheScope
}

/** Opaque: not to be read, made or changed. The empty string is a cursor like any other. */
export type Cursor = string

/** The params of a request for one page of a list. */
export type PaginatedRequestParams = RequestParams & {
  /** The `nextCursor` of the page before; absent for the first page. */
  cursor?: Cursor
}

/** A request for one page of a list. */
export interface PaginatedRequest {
  /** The method of the list, such as `tools/list`. */
  method: string
  /** Which page. Left out for the first one. */
  params?: PaginatedRequestParams
}

/** One page of a list. */
export type PaginatedResult = FinishedResult & {
  /** Absent on the last page, and only there. */
  nextCursor?: Cursor
}

/** How far a request has come. */
export type ProgressNotificationParams = NotificationParams & {
  /** The token that the request carried in its `_meta`. */
  progressToken: ProgressToken
  /** Grows with every notification, even where the total is unknown. */
  progress: number
  /** What `progress` is at the end. Left out if it is not known. */
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

/** Which request is no longer wanted. */
export type CancelledNotificationParams = NotificationParams & {
  /**
   * One of the sender's own requests, or the `subscriptions/listen` that a server ends since 2026-07-28.
   * Required, except that 2025-11-25 lets it be absent.
   */
  requestId?: RequestId
  /** For logs and people. */
  reason?: string
}

/** Announces that the sender no longer wants the answer to one of its requests. */
export interface CancelledNotification {
  /** `notifications/cancelled` cancels a request. */
  method: 'notifications/cancelled'
  /** Which request, and why. */
  params: CancelledNotificationParams
}
