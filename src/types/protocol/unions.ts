// Everything that each side may send, over all revisions; the method table knows which revision has which.

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
import type { EmptyResult } from './base.ts'
import type {
  DiscoverRequest,
  DiscoverResult,
  InitializedNotification,
  InitializeRequest,
  InitializeResult,
  PingRequest,
} from './lifecycle.ts'
import type { CancelledNotification, ProgressNotification } from './progress.ts'

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
