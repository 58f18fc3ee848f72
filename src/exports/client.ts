// mcpwire/client: everything that calls a server.
export type { CacheConfig, CacheMode } from '../client/cache/cache-config.ts'
export type { CacheEntry, CacheKey, ResponseCacheStore } from '../client/cache/response-store.ts'
export type { CallScope } from '../client/calls/call-scope.ts'
export { Client } from '../client/client.ts'
export type {
  ClientCallOptions,
  ClientListOptions,
  ClientOptions,
  ClientPagesOptions,
  ClientReadOptions,
  ClientToolCallOptions,
} from '../client/client-options.ts'
export type {
  ClaimContext,
  ClaimedResult,
  ClaimOptions,
  ClientExtension,
  ClientExtensionParts,
  NotificationBinding,
  NotificationContext,
  ResultClaim,
  TaskCallFacts,
  TaskCallRules,
} from '../client/extensions/extension.ts'
export type {
  ClientExtensionFilter,
  ClientExtensionFilters,
  ExtensionEvent,
} from '../client/extensions/owned-filters.ts'
export type { ClientExtensionRequest, ClientExtensionRequests } from '../client/extensions/owned-requests.ts'
export type { ServerEntries, ServerEntry } from '../client/group/configured-servers.ts'
export type {
  ClientSessionGroupOptions,
  GroupConnectOptions,
  GroupOpenOptions,
  GroupServer,
} from '../client/group/options.ts'
export type { ClientMode } from '../client/opening/client-mode.ts'
export type { ClientTarget, CommandTarget } from '../client/opening/targets.ts'
export type {
  ClientCallbackContext,
  ClientCallbacks,
  ClientRequestContext,
  ServerMessage,
} from '../client/session/callbacks.ts'
export type { CallerEnvelope } from '../client/session/era.ts'
export type {
  ClientMiddleware,
  ClientMiddlewareContext,
  ClientNext,
  ClientNotificationContext,
  ClientNotificationMiddleware,
  ClientNotificationNext,
  ClientQuestionContext,
  ClientQuestionMiddleware,
  ClientQuestionNext,
  SessionTap,
} from '../client/session/middleware.ts'
export type {
  CallToolOptions,
  InitializeOptions,
  InteractiveOptions,
  ListOptions,
  RawRequestOptions,
  RequestOptions,
  VendorRequestOptions,
} from '../client/session/request-options.ts'
export type { InputRequestContext } from '../client/session/session.ts'
export type { ClientSessionOptions } from '../client/session/session-options.ts'
export type { DescribesTools, ToolTypes } from '../client/session/tool-types.ts'
export type { HonoredFilter, ListenFilter } from '../client/subscriptions/filters.ts'
export type { ListenOptions } from '../client/subscriptions/listen.ts'
export type { ListChangedEvent, ResourceUpdatedEvent, ServerEvent } from '../client/subscriptions/server-events.ts'
export type { Subscription } from '../client/subscriptions/subscription.ts'
export type { ReconnectOptions } from '../client/transports/retry.ts'
export type { SseOptions } from '../client/transports/sse.ts'
export type { StreamableHttpOptions } from '../client/transports/streamable-http.ts'
export type { IconTrust } from '../client/untrusted-links.ts'
export type { ConnectionEvent, OnConnection } from '../dispatcher/channel.ts'
// A file of its own, so that a bundle does not begin with what only some programs name.
export {
  advertise,
  ClientSession,
  ClientSessionGroup,
  ConnectError,
  DEFAULT_CLIENT_INFO,
  InMemoryResponseCacheStore,
  isSafeIcon,
  isSafeLink,
  MAX_TTL_MS,
  NOT_MINE,
  sse,
  streamableHttp,
} from '../further/client.ts'
export type { ConnectErrorOptions, ConnectPhase } from '../types/errors/failures.ts'
