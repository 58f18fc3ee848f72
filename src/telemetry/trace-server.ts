// Traces and measures what a server does and what it asks, as a middleware.
import { monotonicNow } from '../primitives/async/timer.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import { type ServerRequestContext, serverOfRequest } from '../server/context.ts'
import type { Middleware } from '../server/handlers.ts'
import type { SendingLayer } from '../server/session.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { isSpecMethod } from '../wire/methods.ts'
import {
  Attribute,
  type Attributes,
  OTHER,
  SPAN_KIND_CLIENT,
  SPAN_KIND_SERVER,
  type TelemetryApi,
  TRACING_KEYS,
  type TraceContext,
  type TracingOptions,
} from './api.ts'
import { describeEnding, type Ending, endingOnClient, endingOnServer } from './ending.ts'
import {
  describeDetails,
  describeOperation,
  describeRequestId,
  describeSession,
  describeVersion,
  type Message,
  type SentAs,
} from './message-attributes.ts'
import { Guard, Observer, type Operation } from './operation.ts'
import { extractContext, injectContext } from './trace-context.ts'

const PIPE: Attributes = { [Attribute.NetworkTransport]: 'pipe' }
const HTTP: Attributes = { [Attribute.NetworkTransport]: 'tcp', [Attribute.NetworkProtocolName]: 'http' }
const NOTHING: Attributes = {}

const BY_KIND: ReadonlyMap<string, Attributes> = new Map([
  ['stdio', PIPE],
  ['http', HTTP],
  ['streamable-http', HTTP],
  ['sse', HTTP],
])

/** Nothing for a transport that is no network, as in process, or not known here. */
function describeNetwork(kind: string): Attributes {
  return BY_KIND.get(kind) ?? NOTHING
}

export interface TraceServerOptions extends TracingOptions {
  /** `false` ignores the trace context that clients send: strangers can then neither join nor sample our traces. */
  trustClients?: boolean
}

export const TRACE_SERVER_KEYS: KnownKeys<TraceServerOptions> = {
  ...TRACING_KEYS,
  trustClients: true,
}

/**
 * A span and a measurement for every request and notification, and for every request that the server itself sends meanwhile,
 * with the trace context in its `_meta`. In the modern era questions are part of a result, and each round is a request. Put it
 * outermost, so that it sees what others refuse.
 */
export function traceServer(options: TraceServerOptions): Middleware {
  checkKeys('traceServer()', options, TRACE_SERVER_KEYS)
  const guard = new Guard()
  const received = new Observer(options, 'server', guard)
  const sent = new Observer(options, 'client', guard)
  return (ctx, next) => {
    guard.reportTo(serverOfRequest(ctx).faults)
    const common: Attributes = { ...describeNetwork(ctx.dispatch.transport.kind), ...options.attributes }
    return received.observe(
      () => describeReceived(ctx, options, common),
      (context) => {
        if (context === undefined) return next()
        ctx.aroundSending(traceSending(sent, options.api, { ctx, context, common }))
        return ctx.method === 'initialize' ? measureSession(ctx, next(), received, common) : next()
      },
    )
  }
}

function describeReceived(ctx: ServerRequestContext, options: TraceServerOptions, common: Attributes): Operation {
  const { api, trustClients = true, recordArguments = false } = options
  return {
    message: ctx,
    kind: SPAN_KIND_SERVER,
    ...extractContext(api, trustClients ? ctx.params : undefined),
    attributes: {
      ...describeOperation(ctx),
      ...describeDetails(ctx, recordArguments),
      ...describeRequest(ctx),
      ...describeVersion(ctx, undefined),
      ...common,
    },
    endingOfError: (error) => endingOnServer(error, ctx.dispatch.signal.aborted),
    measure: (ending) => ({ ...describeMeasured(ctx, ending), ...describeEnding(ending), ...common }),
    describeEnd: (result) => describeVersion(ctx, result),
  }
}

function describeRequest(ctx: ServerRequestContext): Attributes {
  const { requestId } = ctx
  if (requestId === undefined) return describeSession(ctx)
  return { [Attribute.RequestId]: String(requestId).slice(0, 128), ...describeSession(ctx) }
}

/** A client can make up any number of names; only those that the server knew become part of a measurement. */
function describeMeasured(ctx: ServerRequestContext, { code }: Ending): Attributes {
  const version = describeVersion(ctx, undefined)
  if (!isKnownMethod(ctx)) return { [Attribute.MethodName]: OTHER, ...version }
  const isKnownTarget = code !== ErrorCode.InvalidParams
  return { ...describeOperation(isKnownTarget ? ctx : { method: ctx.method, params: undefined }), ...version }
}

function isKnownMethod(ctx: ServerRequestContext): boolean {
  const { method } = ctx
  const server = serverOfRequest(ctx)
  if (isSpecMethod(method) || server.extensions?.has(method) === true) return true
  return server.requestHandler(method) !== undefined || server.notificationHandler(method) !== undefined
}

/** From the handshake to the end of the connection. The modern era has no sessions. */
async function measureSession(
  ctx: ServerRequestContext,
  handshake: Promise<JSONObject | undefined>,
  observer: Observer,
  common: Attributes,
): Promise<JSONObject | undefined> {
  const startedAt = monotonicNow()
  const result = await handshake
  const attributes = { ...describeVersion(ctx, result), ...common }
  ctx.connection.defer(() => observer.recordSession(startedAt, attributes))
  return result
}

const CODES: ReadonlySet<number> = new Set(Object.values(ErrorCode))

/** The message that is being handled meanwhile. */
export interface HandledMessage {
  readonly ctx: ServerRequestContext
  /** Of its span. */
  readonly context: TraceContext
  readonly common: Attributes
}

/** Whoever sends a request is its client, as the conventions see it, and is measured as one. */
export function traceSending(observer: Observer, api: TelemetryApi, handled: HandledMessage): SendingLayer {
  return (method, params, send) => {
    const sent: SentAs = {}
    return observer.observe(
      () => describeSent(api, { method, params }, handled, sent),
      (context) =>
        send(context === undefined ? params : pass(observer, api, context, params), (id) => {
          sent.requestId = id
        }),
    )
  }
}

function pass(observer: Observer, api: TelemetryApi, context: TraceContext, params: Message['params']) {
  return observer.guard.attempt(() => injectContext(api, context, params)) ?? params
}

function describeSent(
  api: TelemetryApi,
  message: Message,
  { ctx, context, common }: HandledMessage,
  sent: SentAs,
): Operation {
  const described: Attributes = { ...describeOperation(message), ...describeVersion(ctx, undefined) }
  return {
    message,
    kind: SPAN_KIND_CLIENT,
    parent: findParent(api, context),
    attributes: { ...described, ...describeSession(ctx), ...common },
    endingOfError: (error) => endingOnClient(error, ctx.dispatch.signal.aborted),
    measure: (ending) => ({ ...described, ...describeEnding(withKnownCode(ending)), ...common }),
    describeEnd: () => describeRequestId(sent),
  }
}

/** A client may answer with any code, and each would be a series of its own. */
function withKnownCode(ending: Ending): Ending {
  return ending.code === undefined || CODES.has(ending.code) ? ending : { errorType: OTHER }
}

/** A span of the handler's own, where the runtime can tell which one is active; else that of the message. */
function findParent(api: TelemetryApi, handled: TraceContext): TraceContext {
  const active = api.context.active()
  return api.trace.getSpanContext(active) === undefined ? handled : active
}
