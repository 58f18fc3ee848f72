// mcpwire/client: everything that calls a server.
export type { CacheConfig, CacheMode } from '../client/cache-config.ts'
export type {
  ClientCallbackContext,
  ClientCallbacks,
  ClientRequestContext,
  ServerMessage,
} from '../client/callbacks.ts'
export { Client } from '../client/client.ts'
export type {
  ClientCallOptions,
  ClientListOptions,
  ClientOptions,
  ClientPagesOptions,
  ClientReadOptions,
} from '../client/client-options.ts'
export type { ServerEntries, ServerEntry } from '../client/configured-servers.ts'
export {
  advertise,
  type ClaimContext,
  type ClaimedResult,
  type ClientExtension,
  type NotificationBinding,
  type ResultClaim,
} from '../client/extension.ts'
export type {
  ClientSessionGroupOptions,
  GroupConnectOptions,
  GroupOpenOptions,
  GroupServer,
} from '../client/group-options.ts'
export type { ListenOptions } from '../client/listen.ts'
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
} from '../client/middleware.ts'
export type { ClientMode } from '../client/negotiate.ts'
export type {
  CallToolOptions,
  InitializeOptions,
  InteractiveOptions,
  ListOptions,
  RequestOptions,
  VendorRequestOptions,
} from '../client/request-options.ts'
export { MAX_TTL_MS } from '../client/response-cache.ts'
export {
  type CacheEntry,
  type CacheKey,
  InMemoryResponseCacheStore,
  type ResponseCacheStore,
} from '../client/response-store.ts'
export type { ListChangedEvent, ResourceUpdatedEvent, ServerEvent } from '../client/server-events.ts'
export { ClientSession, type InputRequestContext } from '../client/session.ts'
export { ClientSessionGroup } from '../client/session-group.ts'
export { type ClientSessionOptions, DEFAULT_CLIENT_INFO } from '../client/session-options.ts'
export type { Subscription } from '../client/subscription.ts'
export type { SubscriptionRoute } from '../client/subscription-routes.ts'
export type { ClientTarget, CommandTarget } from '../client/targets.ts'
export type { DescribesTools, ToolTypes } from '../client/tool-types.ts'
export type { ReconnectOptions } from '../client/transports/reconnect.ts'
export { type SseOptions, sse } from '../client/transports/sse.ts'
export { type StreamableHttpOptions, streamableHttp } from '../client/transports/streamable-http.ts'
export { type IconTrust, isSafeIcon, isSafeLink } from '../client/untrusted-links.ts'
export type { ConnectionEvent, OnConnection } from '../dispatcher/connection-events.ts'
export { ConnectError, type ConnectErrorOptions, type ConnectPhase } from '../types/connect-error.ts'
