// Everything that each side may send, over all revisions; the method table knows which revision has which.
import type { EmptyResult } from './base.ts'
import type { CancelledNotification } from './cancellation.ts'
import type { CompleteRequest, CompleteResult } from './completion.ts'
import type { ElicitationCompleteNotification, ElicitRequest, ElicitResult } from './elicitation.ts'
import type { InputRequiredResult } from './input-required.ts'
import type {
  DiscoverRequest,
  DiscoverResult,
  InitializedNotification,
  InitializeRequest,
  InitializeResult,
  PingRequest,
} from './lifecycle.ts'
import type { LoggingMessageNotification, SetLevelRequest } from './logging.ts'
import type { ProgressNotification } from './progress.ts'
import type {
  GetPromptRequest,
  GetPromptResult,
  ListPromptsRequest,
  ListPromptsResult,
  PromptListChangedNotification,
} from './prompts.ts'
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
} from './resources.ts'
import type { ListRootsRequest, ListRootsResult, RootsListChangedNotification } from './roots.ts'
import type { CreateMessageRequest, CreateMessageResult } from './sampling.ts'
import type {
  SubscriptionsAcknowledgedNotification,
  SubscriptionsListenRequest,
  SubscriptionsListenResult,
} from './subscriptions.ts'
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
} from './tasks.ts'
import type {
  CallToolRequest,
  CallToolResult,
  ListToolsRequest,
  ListToolsResult,
  ToolListChangedNotification,
} from './tools.ts'

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
