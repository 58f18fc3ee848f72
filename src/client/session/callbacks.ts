// What a server can ask and tell an application, as callbacks that the application gives.
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

/** What a callback gets beside the params of its message. */
export interface ClientCallbackContext {
  readonly session: ClientSession
  /** The id of the request, or its key among the questions of an `InputRequiredResult`; `undefined` for a notification. */
  readonly requestId: RequestId | undefined
  /** Aborted when the server takes its question back, the call that it belongs to ends, or the connection does. */
  readonly signal: AbortSignal
  readonly meta: MetaObject
}

/** As `ClientCallbackContext`, for what has to be answered. */
export interface ClientRequestContext extends ClientCallbackContext {
  readonly requestId: RequestId
}

/** A notification of the server that a session passes on: all of them but `notifications/cancelled`. */
export type ServerMessage = Exclude<ServerNotification, CancelledNotification>

/**
 * Callbacks for what a server asks and tells. What is not given is not declared as a capability either. A question is
 * refused by throwing an `MCPError`, which the server reads; anything else thrown stays here and is reported as a fault.
 */
export interface ClientCallbacks {
  /** Asks the application's model. */
  onSampling?: (params: CreateMessageRequestParams, ctx: ClientRequestContext) => MaybePromise<CreateMessageResult>
  /** Asks the user. Fields that an accepted form leaves out are filled in from the defaults of its schema. */
  onElicitation?: (params: ElicitRequestParams, ctx: ClientRequestContext) => MaybePromise<ElicitResult>
  onListRoots?: (
    params: NonNullable<ListRootsRequest['params']>,
    ctx: ClientRequestContext,
  ) => MaybePromise<ListRootsResult>
  /** Log messages of the server. */
  onLog?: (params: LoggingMessageNotificationParams, ctx: ClientCallbackContext) => MaybePromise<void>
  /** Every notification that the revision knows, log messages after `onLog`. */
  onMessage?: (message: ServerMessage, ctx: ClientCallbackContext) => MaybePromise<void>
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
