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
export { type LimitConcurrencyOptions, limitConcurrency } from '../server/middleware/limit-concurrency.ts'
export { type LimitRateOptions, limitRate } from '../server/middleware/limit-rate.ts'
export { type LimitResponseSizeOptions, limitResponseSize } from '../server/middleware/limit-response-size.ts'
export { type LimitTimeOptions, limitTime } from '../server/middleware/limit-time.ts'
export { type LogRequestsOptions, logRequests } from '../server/middleware/log-requests.ts'
export type { Outcome, OutcomeKind } from '../server/middleware/outcome.ts'
export { REFUSAL_META_KEY, RefusalCode, type ToolRefusal } from '../server/middleware/refusal.ts'
export type { RequestKey } from '../server/middleware/request-key.ts'
export { type RequestTiming, timeRequests } from '../server/middleware/time-requests.ts'
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
