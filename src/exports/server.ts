// mcpwire/server: servers, from the handlers up.

export type { Transform } from '../compose/sources/transform.ts'
export type { Channel, Connectable, Transport, TransportContext } from '../dispatcher/channel.ts'
export type { Fault, FaultKind, OnFault } from '../dispatcher/fault.ts'
export type { EventSink, HttpExchange, HttpHandler, ReplyHeaders, ServerSentEvent } from '../http/exchange.ts'
export { type Principal, principalKey, principalOf } from '../http/principal.ts'
export { type FetchHandler, type ToFetchOptions, toFetch } from '../http/to-fetch.ts'
export type { ElicitOutcome, FormContent } from '../mcpserver/asking/form.ts'
export type { Interaction } from '../mcpserver/asking/interaction.ts'
export type { InteractionOptions, InteractionStore } from '../mcpserver/asking/options.ts'
export { InteractionSuspended } from '../mcpserver/asking/options.ts'
export type { DirectCallbacks, DirectCallOptions, DirectListOptions } from '../mcpserver/direct-calls.ts'
export type {
  AppHandle,
  AppOptions,
  UiOption,
} from '../mcpserver/extensions/app-options.ts'
export type {
  MCPServerExtension,
  MCPServerExtensionParts,
} from '../mcpserver/extensions/extension-parts.ts'
export type {
  DynamicSkillOptions,
  SkillChanges,
  SkillHandle,
  SkillOptions,
} from '../mcpserver/extensions/skill-options.ts'
export type { TaskMode, TaskOption, TaskOptions } from '../mcpserver/extensions/task-options.ts'
// A star, since the declarations of others can merge into nothing that is exported by name.
export type * from '../mcpserver/extensions/tool-extension-options.ts'
export type {
  AroundTool,
  ToolFacts,
  ToolOptionEffect,
  ToolOptionReader,
  ToolOptionReaders,
} from '../mcpserver/extensions/tool-options.ts'
export type { Log } from '../mcpserver/handlers/context.ts'
export { Context, type HttpDetails } from '../mcpserver/handlers/context.ts'
export type { Access } from '../mcpserver/lists/access.ts'
export type { Handle } from '../mcpserver/lists/registry.ts'
export { MCPServer } from '../mcpserver/mcpserver.ts'
export type { Mountable, MountHandle, ServerMountOptions } from '../mcpserver/mounts.ts'
export type { MCPServerOptions, RequestStateSettings } from '../mcpserver/options.ts'
export {
  type Completer,
  type Completers,
  type CompletionRequest,
  completable,
} from '../mcpserver/prompts/completion.ts'
export type { CompletionHandle, CompletionReference } from '../mcpserver/prompts/completions.ts'
export {
  type PromptDefinition,
  type PromptHandle,
  type PromptHandler,
  type PromptOptions,
  prompt,
} from '../mcpserver/prompts/prompt.ts'
export {
  type AnyResourceDefinition,
  type ListedResource,
  type ResourceDefinition,
  type ResourceHandle,
  type ResourceOptions,
  type ResourceReader,
  type ResourceTemplateDefinition,
  resource,
} from '../mcpserver/resources/resource.ts'
export type { RunHttpOptions, RunOptions, RunStdioOptions } from '../mcpserver/run.ts'
export {
  type ToolDefinition,
  type ToolHandle,
  type ToolHandler,
  type ToolOptions,
  tool,
} from '../mcpserver/tools/tool.ts'
export { audio, image, type MediaOptions, resourceLink } from '../mcpserver/values/media.ts'
export { Connection } from '../server/connection.ts'
export { ServerRequestContext } from '../server/context.ts'
export { clientExtension, requireClientExtension } from '../server/extensions/client-extension.ts'
export type {
  ExtensionNotification,
  ExtensionRequest,
  ExtensionResult,
  ExtensionWatch,
  ServerExtension,
  ServerExtensionParts,
  StartedExtension,
  ToolCallInterceptor,
  ToolCallOutcome,
} from '../server/extensions/extension.ts'
export type {
  HandlerResult,
  Middleware,
  Next,
  NotificationHandler,
  NotificationHandlers,
  RequestHandler,
  RequestHandlers,
  SpecNotificationHandler,
  SpecRequestHandler,
} from '../server/handlers.ts'
export type { ResponseMode } from '../server/http/answers/post-reply.ts'
export type { ServerCardHeader, ServerCardOptions, ServerCardRepository } from '../server/http/card/card-options.ts'
export type { CorsOptions } from '../server/http/guards/cors.ts'
export { createHandler, type ServerHandler, type ServerTarget } from '../server/http/handler.ts'
export type { HandlerOptions, HandlerWrapper, LegacySsePaths } from '../server/http/handler-options.ts'
export type { HandshakeOptions, LegacyOptions, SessionOptions } from '../server/http/legacy/legacy-options.ts'
export type { HttpServing, ServeHttpOptions } from '../server/http/serve-options.ts'
export type { EventStore, StoredEvent } from '../server/http/streams/event-store.ts'
export { MemoryEventStore, type MemoryEventStoreOptions } from '../server/http/streams/event-store.ts'
export type { Lease, Lifespan } from '../server/lifespan.ts'
export type { RequestKey } from '../server/middleware/counted-requests.ts'
export { type LimitConcurrencyOptions, limitConcurrency } from '../server/middleware/limit-concurrency.ts'
export { type LimitRateOptions, limitRate } from '../server/middleware/limit-rate.ts'
export { type LimitResponseSizeOptions, limitResponseSize } from '../server/middleware/limit-response-size.ts'
export { type LimitTimeOptions, limitTime } from '../server/middleware/limit-time.ts'
export type { Outcome, OutcomeKind } from '../server/middleware/log-requests.ts'
export {
  type LogRequestsOptions,
  logRequests,
  type RequestTiming,
  timeRequests,
} from '../server/middleware/log-requests.ts'
export { REFUSAL_META_KEY, RefusalCode, type ToolRefusal } from '../server/middleware/refusal.ts'
export type { LimitStore, OnUnavailable } from '../server/middleware/shared-limits.ts'
export type { CacheHint, CacheHints } from '../server/results/caching.ts'
export type { ServedConnection } from '../server/serve.ts'
export { Server, type ServerOptions } from '../server/server.ts'
export {
  type SendingLayer,
  ServerSession,
  type SessionCallOptions,
  type SessionNotifyOptions,
} from '../server/session.ts'
export type { SharedValues } from '../server/shared-values.ts'
export type { Component, ListMethod, ListPage, Source, SourceDescription } from '../server/source.ts'
export {
  type RequestStateBoundary,
  type RequestStateBoundaryContext,
  requestStateBoundary,
} from '../server/state/boundary.ts'
export {
  createRequestStateSeal,
  type RequestStateContext,
  type RequestStateFault,
  type RequestStateOptions,
  type RequestStateSeal,
} from '../server/state/request-state.ts'
export type { RequestStateKeys, RequestStateSecret } from '../server/state/secrets.ts'
export { type SharedKeysOptions, sharedKeys } from '../server/state/shared-keys.ts'
export {
  createSubscriptionBus,
  type SubscriptionBus,
  type SubscriptionEvent,
} from '../server/subscriptions/subscriptions.ts'
export type { TaskContext } from '../server/task-run.ts'
export type { HeaderAnnotation } from '../wire/headers/header-annotations.ts'
