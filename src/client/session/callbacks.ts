// The callbacks of an application for requests and notifications of the server.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import type { ElicitRequestParams, ElicitResult } from '../../types/features/elicitation.ts'
import type { LoggingMessageNotificationParams } from '../../types/features/logging.ts'
import type { ListRootsRequest, ListRootsResult } from '../../types/features/roots.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../../types/features/sampling.ts'
import type { CancelledNotification } from '../../types/protocol/base.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { MetaObject } from '../../types/protocol/meta.ts'
import type { ServerNotification } from '../../types/protocol/methods.ts'
import type { ClientSession } from './session.ts'

/** The second argument of a callback. */
export interface ClientCallbackContext {
  /** The session that received the notification. */
  readonly session: ClientSession
  /** The id of the request, or its key in an `InputRequiredResult`; `undefined` for a notification. */
  readonly requestId: RequestId | undefined
  /** Aborts when the server cancels the request, the call that it belongs to ends, or the connection ends. */
  readonly signal: AbortSignal
  /** The `_meta` of the notification. Empty if there is none. */
  readonly meta: MetaObject
}

/** The second argument of a callback that answers a request. */
export interface ClientRequestContext extends ClientCallbackContext {
  readonly requestId: RequestId
}

/** A notification of the server that `onMessage` gets: every one except `notifications/cancelled`. */
export type ServerMessage = Exclude<ServerNotification, CancelledNotification>

/**
 * Callbacks for requests and notifications of the server. The client declares a capability only where its callback exists.
 * Throw an `MCPError` to reject a request: the server receives it. Any other error is reported as a fault and stays here.
 */
export interface ClientCallbacks {
  /** Answers with the application's model. */
  onSampling?:
    | ((params: CreateMessageRequestParams, ctx: ClientRequestContext) => MaybePromise<CreateMessageResult>)
    | undefined
  /** Asks the user. Fields that an accepted form leaves out get the defaults of its schema. */
  onElicitation?: ((params: ElicitRequestParams, ctx: ClientRequestContext) => MaybePromise<ElicitResult>) | undefined
  /** Returns the folders that the server may work in. Setting it declares the capability `roots`. */
  onListRoots?:
    | ((params: NonNullable<ListRootsRequest['params']>, ctx: ClientRequestContext) => MaybePromise<ListRootsResult>)
    | undefined
  /** Log messages of the server. */
  onLog?: ((params: LoggingMessageNotificationParams, ctx: ClientCallbackContext) => MaybePromise<void>) | undefined
  /** Every notification of the revision. Log messages come after `onLog`. */
  onMessage?: ((message: ServerMessage, ctx: ClientCallbackContext) => MaybePromise<void>) | undefined
}

export const CALLBACK_KEYS: KnownKeys<ClientCallbacks> = {
  onSampling: 'function',
  onElicitation: 'function',
  onListRoots: 'function',
  onLog: 'function',
  onMessage: 'function',
}

/** The `_meta` of params, empty where there is none. */
export function metaOf(params: JSONObject | undefined): MetaObject {
  const meta = params?.['_meta']
  return isPlainObject(meta) ? meta : {}
}
