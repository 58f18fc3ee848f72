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
  /** The state of a task (2025-11-25). */
  'tasks/get': [GetTaskRequest, GetTaskResult]
  /** The result of a task, once it has ended (2025-11-25). */
  'tasks/result': [GetTaskPayloadRequest, GetTaskPayloadResult]
  /** The state of the cancelled task (2025-11-25). */
  'tasks/cancel': [CancelTaskRequest, CancelTaskResult]
  /** One page of tasks (2025-11-25). */
  'tasks/list': [ListTasksRequest, ListTasksResult]
}

/** What a client calls: by method, the request and its finished result. A request for input and a task are not among them. */
interface ClientRequests extends TaskRequests {
  /** The server's side of the handshake. Legacy only. */
  initialize: [InitializeRequest, InitializeResult]
  /** An empty result. Legacy only. */
  ping: [PingRequest, EmptyResult]
  /** What the server supports. Modern only. */
  'server/discover': [DiscoverRequest, DiscoverResult]
  /** One page of tools. */
  'tools/list': [ListToolsRequest, ListToolsResult]
  /** What the tool returned. */
  'tools/call': [CallToolRequest, CallToolResult]
  /** One page of resources. */
  'resources/list': [ListResourcesRequest, ListResourcesResult]
  /** One page of resource templates. */
  'resources/templates/list': [ListResourceTemplatesRequest, ListResourceTemplatesResult]
  /** The contents of a resource. */
  'resources/read': [ReadResourceRequest, ReadResourceResult]
  /** An empty result. Legacy only. */
  'resources/subscribe': [SubscribeRequest, EmptyResult]
  /** An empty result. Legacy only. */
  'resources/unsubscribe': [UnsubscribeRequest, EmptyResult]
  /** Comes when the subscription ends. Modern only. */
  'subscriptions/listen': [SubscriptionsListenRequest, SubscriptionsListenResult]
  /** One page of prompts. */
  'prompts/list': [ListPromptsRequest, ListPromptsResult]
  /** The messages of a prompt. */
  'prompts/get': [GetPromptRequest, GetPromptResult]
  /** Values that complete an argument. */
  'completion/complete': [CompleteRequest, CompleteResult]
  /** An empty result. Legacy only. */
  'logging/setLevel': [SetLevelRequest, EmptyResult]
}

/** What a server calls, likewise. */
interface ServerRequests extends TaskRequests {
  /** An empty result. Legacy only. */
  ping: [PingRequest, EmptyResult]
  /** What the model wrote. */
  'sampling/createMessage': [CreateMessageRequest, CreateMessageResult]
  /** The roots of the client. */
  'roots/list': [ListRootsRequest, ListRootsResult]
  /** What the user did with the question. */
  'elicitation/create': [ElicitRequest, ElicitResult]
}

/** Every request of the specification that a client sends. */
export type ClientRequest = ClientRequests[keyof ClientRequests][0]

/** Until 2025-11-25: since then a server sends no requests. */
export type ServerRequest = ServerRequests[keyof ServerRequests][0]

/** Every notification of the specification that a client sends. */
export type ClientNotification =
  | InitializedNotification
  | CancelledNotification
  | ProgressNotification
  | RootsListChangedNotification
  | TaskStatusNotification

/** Every notification of the specification that a server sends. */
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
