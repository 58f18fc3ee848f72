// mcpwire/server: servers, from the handlers up.
export type { Channel, Connectable, Transport, TransportContext } from '../dispatcher/channel.ts'
export type { Fault, FaultKind, OnFault } from '../dispatcher/fault.ts'
export type { CacheHint, CacheHints } from '../server/caching.ts'
export { Connection, type ConnectionOptions } from '../server/connection.ts'
export { ServerRequestContext } from '../server/context.ts'
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
export type { Lease, Lifespan } from '../server/lifespan.ts'
export {
  createRequestStateSeal,
  type RequestStateContext,
  type RequestStateFault,
  type RequestStateOptions,
  type RequestStateSeal,
} from '../server/request-state.ts'
export {
  type RequestStateBoundary,
  type RequestStateBoundaryContext,
  requestStateBoundary,
} from '../server/request-state-boundary.ts'
export type { RequestStateSecret } from '../server/request-state-cipher.ts'
export type { ServedConnection } from '../server/serve.ts'
export { Server, type ServerOptions } from '../server/server.ts'
export { ServerSession, type SessionCallOptions, type SessionNotifyOptions } from '../server/session.ts'
export { createSubscriptionBus, type SubscriptionBus, type SubscriptionEvent } from '../server/subscriptions.ts'
