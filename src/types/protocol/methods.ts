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

/** Requests about tasks (2025-11-25), which either side sends: by method, the request and its finished result. */
interface TaskRequests {
  'tasks/get': [GetTaskRequest, GetTaskResult]
  'tasks/result': [GetTaskPayloadRequest, GetTaskPayloadResult]
  'tasks/cancel': [CancelTaskRequest, CancelTaskResult]
  'tasks/list': [ListTasksRequest, ListTasksResult]
}

/** What a client calls: by method, the request and its finished result. A request for input and a task are not among them. */
interface ClientRequests extends TaskRequests {
  initialize: [InitializeRequest, InitializeResult]
  ping: [PingRequest, EmptyResult]
  'server/discover': [DiscoverRequest, DiscoverResult]
  'tools/list': [ListToolsRequest, ListToolsResult]
  'tools/call': [CallToolRequest, CallToolResult]
  'resources/list': [ListResourcesRequest, ListResourcesResult]
  'resources/templates/list': [ListResourceTemplatesRequest, ListResourceTemplatesResult]
  'resources/read': [ReadResourceRequest, ReadResourceResult]
  'resources/subscribe': [SubscribeRequest, EmptyResult]
  'resources/unsubscribe': [UnsubscribeRequest, EmptyResult]
  'subscriptions/listen': [SubscriptionsListenRequest, SubscriptionsListenResult]
  'prompts/list': [ListPromptsRequest, ListPromptsResult]
  'prompts/get': [GetPromptRequest, GetPromptResult]
  'completion/complete': [CompleteRequest, CompleteResult]
  'logging/setLevel': [SetLevelRequest, EmptyResult]
}

/** What a server calls, likewise. */
interface ServerRequests extends TaskRequests {
  ping: [PingRequest, EmptyResult]
  'sampling/createMessage': [CreateMessageRequest, CreateMessageResult]
  'roots/list': [ListRootsRequest, ListRootsResult]
  'elicitation/create': [ElicitRequest, ElicitResult]
}

export type ClientRequest = ClientRequests[keyof ClientRequests][0]

/** Until 2025-11-25: since then a server sends no requests. */
export type ServerRequest = ServerRequests[keyof ServerRequests][0]

export type ClientNotification =
  | InitializedNotification
  | CancelledNotification
  | ProgressNotification
  | RootsListChangedNotification
  | TaskStatusNotification

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

/** What a client answers to the requests of a server. */
export type ClientResult = ServerRequests[keyof ServerRequests][1] | CreateTaskResult

/** What a server answers to the requests of a client. */
export type ServerResult = ClientRequests[keyof ClientRequests][1] | InputRequiredResult | CreateTaskResult

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
export interface ClientRequestResultByMethod extends ResultsOf<ClientRequests> {}

/** The finished results of what a server calls. */
export interface ServerRequestResultByMethod extends ResultsOf<ServerRequests> {}

/** The finished results of what either side calls. */
export interface ResultByMethod extends ClientRequestResultByMethod, ServerRequestResultByMethod {}

type ParamsByMethod<Message extends { method: string; params?: object }> = {
  [Each in Message as Each['method']]: NonNullable<Each['params']>
}

type ResultsOf<Requests extends Record<keyof Requests, [unknown, unknown]>> = {
  [Method in keyof Requests]: Requests[Method][1]
}
