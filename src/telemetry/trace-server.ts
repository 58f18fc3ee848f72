// Server middleware that traces and measures the requests and notifications that a server receives and sends.
import { monotonicNow } from '../primitives/async/timer.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { Middleware } from '../server/handlers.ts'
import { coreOf } from '../server/internals.ts'
import type { SendingLayer } from '../server/session.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { isSpecMethod } from '../wire/method-rows.ts'
import {
  Attribute,
  type Attributes,
  OTHER,
  SPAN_KIND_CLIENT,
  SPAN_KIND_INTERNAL,
  SPAN_KIND_SERVER,
  type TelemetryApi,
  TRACING_KEYS,
  type TraceContext,
  type TracingOptions,
} from './api.ts'
import {
  describeDetails,
  describeOperation,
  describeRequestId,
  describeSession,
  describeVersion,
  joinAttributes,
  type Message,
  type SentId,
} from './message-attributes.ts'
import { Observer, type Operation, TelemetryGuard } from './operation.ts'
import { describeOutcome, type Outcome, outcomeOnClient, outcomeOnServer } from './outcome.ts'
import { observeFigures } from './server-figures.ts'
import { countTasks, describeTask, keepTrace, linkToCreation } from './task-telemetry.ts'
import { extractContext, injectContext } from './trace-context.ts'
import { traceForwarding } from './trace-forwarding.ts'

const PIPE: Attributes = { [Attribute.NetworkTransport]: 'pipe' }
const HTTP: Attributes = { [Attribute.NetworkTransport]: 'tcp', [Attribute.NetworkProtocolName]: 'http' }
const NOTHING: Attributes = {}

const BY_KIND: ReadonlyMap<string, Attributes> = new Map([
  ['stdio', PIPE],
  ['http', HTTP],
  ['streamable-http', HTTP],
  ['sse', HTTP],
])

/** No attributes for an unknown transport, or one without a network, such as in process. */
function describeNetwork(kind: string): Attributes {
  return BY_KIND.get(kind) ?? NOTHING
}

/** Options of `traceServer()`. */
export interface TraceServerOptions extends TracingOptions {
  /** `false` ignores the trace context that clients send, so that they can't join or sample your traces (default: `true`). */
  trustClients?: boolean | undefined
}

export const TRACE_SERVER_KEYS: KnownKeys<TraceServerOptions> = {
  ...TRACING_KEYS,
  trustClients: true,
}

/**
 * Creates a span and a measurement for every request and notification, and for every request that the server sends meanwhile,
 * with the trace context in its `_meta`. What a proxy passes on for a request is a span below that of the request. In the modern era questions are part of a result, and each round is a request. Use it as
 * the first middleware, so that it sees what the others reject.
 */
export function traceServer(options: TraceServerOptions): Middleware {
  checkKeys('traceServer()', options, TRACE_SERVER_KEYS)
  const guard = new TelemetryGuard()
  const received = new Observer(options, 'server', guard)
  const sent = new Observer(options, 'client', guard)
  const { api, attributes, recordArguments = false } = options
  const forwarding = { observer: sent, api, attributes, recordArguments }
  const counted = new WeakSet<object>()
  const observeServer = observeFigures(options, guard)
  return (ctx, next) => {
    const server = coreOf(ctx.server)
    guard.reportTo(server.faults)
    if (!counted.has(server)) {
      counted.add(server)
      server.taskObservers.add(countTasks(options, guard))
      observeServer(server)
    }
    const common = joinAttributes(describeNetwork(ctx.dispatch.transport.kind), options.attributes)
    return received.observe(
      () => describeReceived(ctx, options, common),
      (context) => {
        if (context === undefined) return next()
        if (ctx.method === 'tools/call' && ctx.task === undefined) keepTrace(ctx, options.api, context, guard)
        ctx.aroundSending(traceSending(sent, options.api, { ctx, context, common }))
        traceForwarding(ctx, context, forwarding)
        return ctx.method === 'initialize' ? measureSession(ctx, next(), received, common) : next()
      },
    )
  }
}

function describeReceived(ctx: ServerRequestContext, options: TraceServerOptions, common: Attributes): Operation {
  const { api, trustClients = true, recordArguments = false } = options
  const { task } = ctx
  const { parent, links } = extractContext(api, trustClients ? ctx.params : undefined)
  return {
    message: ctx,
    kind: task === undefined ? SPAN_KIND_SERVER : SPAN_KIND_INTERNAL,
    parent,
    links: task === undefined ? links : [...links, ...linkToCreation(ctx, api)],
    attributes: joinAttributes(
      describeOperation(ctx),
      describeDetails(ctx, recordArguments),
      describeRequestAndSession(ctx),
      describeVersion(ctx, undefined),
      task && { [Attribute.TaskId]: task.id, [Attribute.TaskAttempt]: task.attempt },
      common,
    ),
    outcomeOfError: (error) => outcomeOnServer(error, ctx.dispatch.signal.aborted),
    measure: (outcome) => joinAttributes(describeMeasured(ctx, outcome), describeOutcome(outcome), common),
    attributesAtEnd: (result) => joinAttributes(describeVersion(ctx, result), describeTask(ctx, result)),
  }
}

function describeRequestAndSession(ctx: ServerRequestContext): Attributes {
  const { requestId } = ctx
  if (requestId === undefined) return describeSession(ctx)
  return joinAttributes({ [Attribute.RequestId]: String(requestId).slice(0, 128) }, describeSession(ctx))
}

/** A client can invent any number of names; only names that the server knows become part of a measurement. */
function describeMeasured(ctx: ServerRequestContext, { code }: Outcome): Attributes {
  const version = describeVersion(ctx, undefined)
  if (!isKnownMethod(ctx)) return joinAttributes({ [Attribute.MethodName]: OTHER }, version)
  const isKnownTarget = code !== ErrorCode.InvalidParams
  return joinAttributes(describeOperation(isKnownTarget ? ctx : { method: ctx.method, params: undefined }), version)
}

function isKnownMethod(ctx: ServerRequestContext): boolean {
  const { method } = ctx
  const server = coreOf(ctx.server)
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

/** The message whose handler sends requests. */
interface HandledMessage {
  readonly ctx: ServerRequestContext
  /** Of its span. */
  readonly context: TraceContext
  readonly common: Attributes
}

/** In the conventions the sender of a request is its client, so these are measured as client operations. */
function traceSending(observer: Observer, api: TelemetryApi, handled: HandledMessage): SendingLayer {
  return (method, params, send) => {
    const sent: SentId = {}
    return observer.observe(
      () => describeServerRequest(api, { method, params }, handled, sent),
      (context) =>
        send(context === undefined ? params : injectSafely(observer, api, context, params), (id) => {
          sent.requestId = id
        }),
    )
  }
}

function injectSafely(observer: Observer, api: TelemetryApi, context: TraceContext, params: Message['params']) {
  return observer.guard.attempt(() => injectContext(api, context, params)) ?? params
}

function describeServerRequest(
  api: TelemetryApi,
  message: Message,
  { ctx, context, common }: HandledMessage,
  sent: SentId,
): Operation {
  const described = joinAttributes(describeOperation(message), describeVersion(ctx, undefined))
  return {
    message,
    kind: SPAN_KIND_CLIENT,
    parent: findParent(api, context),
    attributes: joinAttributes(described, describeSession(ctx), common),
    outcomeOfError: (error) => outcomeOnClient(error, ctx.dispatch.signal.aborted),
    measure: (outcome) => joinAttributes(described, describeOutcome(withKnownCode(outcome)), common),
    attributesAtEnd: () => describeRequestId(sent),
  }
}

/** A client may respond with any code, and each would be a time series of its own. */
function withKnownCode(outcome: Outcome): Outcome {
  return outcome.code === undefined || CODES.has(outcome.code) ? outcome : { errorType: OTHER }
}

/** The active span of the handler, if the runtime knows it; else the span of the message. */
function findParent(api: TelemetryApi, handled: TraceContext): TraceContext {
  const active = api.context.active()
  return api.trace.getSpanContext(active) === undefined ? handled : active
}
