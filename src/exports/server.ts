// mcpwire/server: servers, from the handlers up.

export type { Transform } from '../compose/sources/transform.ts'
export type { Channel, Connectable, Transport, TransportContext } from '../dispatcher/channel.ts'
export type { Fault, FaultKind, OnFault } from '../dispatcher/fault.ts'
// A file of its own, so that a bundle does not begin with what only some programs name.
export {
  Connection,
  Context,
  clientExtension,
  createRequestStateSeal,
  createSubscriptionBus,
  InteractionSuspended,
  limitConcurrency,
  limitRate,
  limitResponseSize,
  limitTime,
  logRequests,
  MemoryEventStore,
  principalKey,
  principalOf,
  REFUSAL_META_KEY,
  RefusalCode,
  requestStateBoundary,
  requireClientExtension,
  ServerRequestContext,
  ServerSession,
  sharedKeys,
  timeRequests,
} from '../further/server.ts'
export type { EventSink, HttpExchange, HttpHandler, ReplyHeaders, ServerSentEvent } from '../http/exchange.ts'
export type { Principal } from '../http/principal.ts'
export { type FetchHandler, type ToFetchOptions, toFetch } from '../http/to-fetch.ts'
export type { ElicitOutcome, FormContent } from '../mcpserver/asking/form.ts'
export type { Interaction } from '../mcpserver/asking/interaction.ts'
export type { InteractionOptions, InteractionStore } from '../mcpserver/asking/options.ts'
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
export type { HttpDetails, Log } from '../mcpserver/handlers/context.ts'
export type { Access } from '../mcpserver/lists/access.ts'
export type { Handle } from '../mcpserver/lists/registry.ts'
export { MCPServer } from '../mcpserver/mcpserver.ts'
export type { MountHandle, ServerMountOptions } from '../mcpserver/mounting/mount-options.ts'
export type { Mountable } from '../mcpserver/mounting/mountable.ts'
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
export type { EventStore, MemoryEventStoreOptions, StoredEvent } from '../server/http/streams/event-store.ts'
export type { Lease, Lifespan } from '../server/lifespan/lifespan.ts'
export type { RequestKey } from '../server/middleware/counted-requests.ts'
export type { LimitConcurrencyOptions } from '../server/middleware/limit-concurrency.ts'
export type { LimitRateOptions } from '../server/middleware/limit-rate.ts'
export type { LimitResponseSizeOptions } from '../server/middleware/limit-response-size.ts'
export type { LimitTimeOptions } from '../server/middleware/limit-time.ts'
export type { LogRequestsOptions, Outcome, OutcomeKind, RequestTiming } from '../server/middleware/log-requests.ts'
export type { ToolRefusal } from '../server/middleware/refusal.ts'
export type { LimitStore, OnUnavailable } from '../server/middleware/shared-limits.ts'
export type { CacheHint, CacheHints } from '../server/results/caching.ts'
export type { ServedConnection } from '../server/serve.ts'
export { Server, type ServerOptions } from '../server/server.ts'
export type { SendingLayer, SessionCallOptions, SessionNotifyOptions } from '../server/session.ts'
export type { SharedValues } from '../server/shared-values.ts'
export type { Component, ListMethod, ListPage, Source, SourceDescription } from '../server/source.ts'
export type { RequestStateBoundary, RequestStateBoundaryContext } from '../server/state/boundary.ts'
export type {
  RequestStateContext,
  RequestStateFault,
  RequestStateOptions,
  RequestStateSeal,
} from '../server/state/request-state.ts'
export type { RequestStateKeys, RequestStateSecret } from '../server/state/secrets.ts'
export type { SharedKeysOptions } from '../server/state/shared-keys.ts'
export type { SubscriptionBus, SubscriptionEvent } from '../server/subscriptions/subscriptions.ts'
export type { TaskContext } from '../server/task-run.ts'
export type { HeaderAnnotation } from '../wire/headers/header-annotations.ts'
