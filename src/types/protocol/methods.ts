// Everything that each side may send, over all revisions, and the types of params and results by method. The method table in
// `wire/methods.ts` knows which revision has which.
import type { CompleteRequest, CompleteResult } from '../features/completion.ts'
import type { ElicitationCompleteNotification, ElicitRequest, ElicitResult } from '../features/elicitation.ts'
import type { InputRequiredResult } from '../features/input-required.ts'
import type { LoggingMessageNotification, SetLevelRequest } from '../features/logging.ts'
import type {
  GetPromptRequest,
  GetPromptResult,
  ListPromptsRequest,
  ListPromptsResult,
  PromptListChangedNotification,
} from '../features/prompts.ts'
import type {
  ListResourcesRequest,
  ListResourcesResult,
  ListResourceTemplatesRequest,
  ListResourceTemplatesResult,
  ReadResourceRequest,
  ReadResourceResult,
  ResourceListChangedNotification,
  ResourceUpdatedNotification,
  SubscribeRequest,
  UnsubscribeRequest,
} from '../features/resources.ts'
import type { ListRootsRequest, ListRootsResult, RootsListChangedNotification } from '../features/roots.ts'
import type { CreateMessageRequest, CreateMessageResult } from '../features/sampling.ts'
import type {
  SubscriptionsAcknowledgedNotification,
  SubscriptionsListenRequest,
  SubscriptionsListenResult,
} from '../features/subscriptions.ts'
import type {
  CancelTaskRequest,
  CancelTaskResult,
  CreateTaskResult,
  GetTaskPayloadRequest,
  GetTaskPayloadResult,
  GetTaskRequest,
  GetTaskResult,
  ListTasksRequest,
  ListTasksResult,
  TaskStatusNotification,
} from '../features/tasks.ts'
import type {
  CallToolRequest,
  CallToolResult,
  ListToolsRequest,
  ListToolsResult,
  ToolListChangedNotification,
} from '../features/tools.ts'
import type { CancelledNotification, EmptyResult, ProgressNotification } from './base.ts'
import type {
  DiscoverRequest,
  DiscoverResult,
  InitializedNotification,
  InitializeRequest,
  InitializeResult,
  PingRequest,
} from './lifecycle.ts'

type TaskRequest = GetTaskRequest | GetTaskPayloadRequest | ListTasksRequest | CancelTaskRequest

type TaskResult = CreateTaskResult | GetTaskResult | GetTaskPayloadResult | ListTasksResult | CancelTaskResult

export type ClientRequest =
  | InitializeRequest
  | PingRequest
  | DiscoverRequest
  | ListToolsRequest
  | CallToolRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | SubscriptionsListenRequest
  | ListPromptsRequest
  | GetPromptRequest
  | CompleteRequest
  | SetLevelRequest
  | TaskRequest

export type ClientNotification =
  | InitializedNotification
  | CancelledNotification
  | ProgressNotification
  | RootsListChangedNotification
  | TaskStatusNotification

/** What a client answers to the requests of a server. */
export type ClientResult = EmptyResult | CreateMessageResult | ListRootsResult | ElicitResult | TaskResult

/** Until 2025-11-25: since then a server sends no requests. */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest | ElicitRequest | TaskRequest

export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ToolListChangedNotification
  | ResourceListChangedNotification
  | ResourceUpdatedNotification
  | PromptListChangedNotification
  | SubscriptionsAcknowledgedNotification
  | ElicitationCompleteNotification
  | TaskStatusNotification

/** What a server answers to the requests of a client. */
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | DiscoverResult
  | ListToolsResult
  | CallToolResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | SubscriptionsListenResult
  | ListPromptsResult
  | GetPromptResult
  | CompleteResult
  | InputRequiredResult
  | TaskResult

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
