// For programs that pass messages on instead of handling them, such as proxies: they see what a server sends before the session does.
import type { DispatchContext, UNANSWERED } from '../../dispatcher/dispatcher.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

/** Returned by a tap for a message that the session is to handle as usual. */
export const NOT_MINE: unique symbol = Symbol('mcpwire.not-mine')

/**
 * Gets every message of the server before the session, of any method, checked for nothing but JSON-RPC. `context.relatedRequestId` is
 * the request of this session that the message belongs to, where the transport knows.
 */
export interface SessionTap {
  /** Answers a request of the server. What it returns is sent as it is. */
  onRequest?(
    context: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): MaybePromise<JSONObject | typeof UNANSWERED | typeof NOT_MINE>
  /** Takes a notification, progress of calls included. */
  onNotify?(
    context: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): MaybePromise<void | typeof NOT_MINE>
}

export const TAP_KEYS: KnownKeys<SessionTap> = { onRequest: 'function', onNotify: 'function' }
