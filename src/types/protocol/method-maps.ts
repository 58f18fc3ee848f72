// From the name of a method to the types of its params and result, so that a call can be typed by its first argument.

import type { CompleteResult } from '../features/completion.ts'
import type { ElicitResult } from '../features/elicitation.ts'
import type { GetPromptResult, ListPromptsResult } from '../features/prompts.ts'
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from '../features/resources.ts'
import type { ListRootsResult } from '../features/roots.ts'
import type { CreateMessageResult } from '../features/sampling.ts'
import type { SubscriptionsListenResult } from '../features/subscriptions.ts'
import type { CancelTaskResult, GetTaskPayloadResult, GetTaskResult, ListTasksResult } from '../features/tasks.ts'
import type { CallToolResult, ListToolsResult } from '../features/tools.ts'
import type { EmptyResult } from './base.ts'
import type { DiscoverResult, InitializeResult } from './lifecycle.ts'
import type { ClientNotification, ClientRequest, ServerNotification, ServerRequest } from './unions.ts'

/** Methods that a client calls, with their params. */
export interface ClientRequestParamsByMethod extends ParamsByMethod<ClientRequest> {}

/** Methods that a server calls, with their params. */
export interface ServerRequestParamsByMethod extends ParamsByMethod<ServerRequest> {}

/** Methods that either side calls, with their params. */
export interface RequestParamsByMethod extends ParamsByMethod<ClientRequest | ServerRequest> {}

/** Notifications that a client sends, with their params. */
export interface ClientNotificationParamsByMethod extends ParamsByMethod<ClientNotification> {}

/** Notifications that a server sends, with their params. */
export interface ServerNotificationParamsByMethod extends ParamsByMethod<ServerNotification> {}

/** Notifications that either side sends, with their params. */
export interface NotificationParamsByMethod extends ParamsByMethod<ClientNotification | ServerNotification> {}

/** The finished results of what a client calls. A request for input and a task are not among them. */
export interface ClientRequestResultByMethod extends TaskResultByMethod {
  initialize: InitializeResult
  ping: EmptyResult
  'server/discover': DiscoverResult
  'tools/list': ListToolsResult
  'tools/call': CallToolResult
  'resources/list': ListResourcesResult
  'resources/templates/list': ListResourceTemplatesResult
  'resources/read': ReadResourceResult
  'resources/subscribe': EmptyResult
  'resources/unsubscribe': EmptyResult
  'subscriptions/listen': SubscriptionsListenResult
  'prompts/list': ListPromptsResult
  'prompts/get': GetPromptResult
  'completion/complete': CompleteResult
  'logging/setLevel': EmptyResult
}

/** The finished results of what a server calls. */
export interface ServerRequestResultByMethod extends TaskResultByMethod {
  ping: EmptyResult
  'sampling/createMessage': CreateMessageResult
  'roots/list': ListRootsResult
  'elicitation/create': ElicitResult
}

/** The finished results of what either side calls. */
export interface ResultByMethod extends ClientRequestResultByMethod, ServerRequestResultByMethod {}

interface TaskResultByMethod {
  'tasks/get': GetTaskResult
  'tasks/result': GetTaskPayloadResult
  'tasks/cancel': CancelTaskResult
  'tasks/list': ListTasksResult
}

/** Methods that the other side may answer with an `InputRequiredResult`; since 2026-07-28. */
export type InputRequiredMethod = 'tools/call' | 'resources/read' | 'prompts/get'

/** Methods whose results say how long they stay good; since 2026-07-28. */
export type CacheableMethod =
  | 'server/discover'
  | 'tools/list'
  | 'resources/list'
  | 'resources/templates/list'
  | 'resources/read'
  | 'prompts/list'

type ParamsByMethod<Message extends { method: string; params?: object }> = {
  [Each in Message as Each['method']]: NonNullable<Each['params']>
}
