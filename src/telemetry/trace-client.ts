// Client middleware that traces and measures requests, notifications and answers, and passes the trace on to the server.
import { findInternals } from '../client/session/internals.ts'
import type {
  ClientMiddleware,
  ClientMiddlewareContext,
  ClientNext,
  ClientNotificationContext,
  ClientNotificationNext,
  ClientQuestionContext,
  ClientQuestionMiddleware,
} from '../client/session/middleware.ts'
import type { ClientSession } from '../client/session/session.ts'
import { listenForAbort } from '../primitives/async/abort.ts'
import { monotonicNow } from '../primitives/async/timer.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import { PROTOCOL_VERSIONS } from '../types/protocol/versions.ts'
import { requestRow } from '../wire/method-rows.ts'
import {
  Attribute,
  type Attributes,
  OTHER,
  SPAN_KIND_CLIENT,
  SPAN_KIND_INTERNAL,
  SPAN_KIND_SERVER,
  TRACING_KEYS,
  type TracingOptions,
} from './api.ts'
import {
  describeDetails,
  describeOperation,
  describeRequestId,
  joinAttributes,
  type SentId,
} from './message-attributes.ts'
import { Observer, type Operation, TelemetryGuard } from './operation.ts'
import { describeOutcome, type Outcome, outcomeOnClient, outcomeOnServer } from './outcome.ts'
import { extractContext, injectContext } from './trace-context.ts'

/** Options of `traceClient()`. */
export interface TraceClientOptions extends TracingOptions {
  /** `false` ignores the trace context in requests of servers, so that they can't join your traces (default: `true`). */
  trustServers?: boolean | undefined
}

export const TRACE_CLIENT_KEYS: KnownKeys<TraceClientOptions> = {
  ...TRACING_KEYS,
  trustServers: true,
}

/**
 * Creates a span and a measurement for every request and notification, with the trace context in its `_meta`. Each round of a
 * multi-round call is a request. Requests of the server that a callback answers get a span too. Use it as the first middleware.
 */
export function traceClient(options: TraceClientOptions): ClientMiddleware {
  checkKeys('traceClient()', options, TRACE_CLIENT_KEYS)
  const { api } = options
  const guard = new TelemetryGuard()
  const requests = new Observer(options, 'client', guard)
  const received = new Observer(options, 'server', guard)
  const watched = new WeakSet<ClientSession>()

  /** The common part of requests and notifications. */
  function trace<R extends JSONObject | undefined>(
    ctx: ClientNotificationContext,
    sent: SentId,
    signal: AbortSignal | undefined,
    send: (params: JSONObject | undefined) => Promise<R>,
  ): Promise<R> {
    guard.reportTo(findInternals(ctx.session)?.faults)
    if (!watched.has(ctx.session)) {
      watched.add(ctx.session)
      measureSession(ctx.session, requests, options.attributes)
    }
    return requests.observe(
      () => describeClientMessage(ctx, sent, signal, options),
      (context) => {
        if (context === undefined) return send(ctx.params)
        return send(guard.attempt(() => injectContext(api, context, ctx.params)) ?? ctx.params)
      },
    )
  }

  const onRequest = (ctx: ClientMiddlewareContext, next: ClientNext) => {
    const sent: SentId = {}
    const onRequestId = (id: RequestId) => {
      sent.requestId = id
      ctx.options.onRequestId?.(id)
    }
    return trace(ctx, sent, ctx.options.signal, (params) => next(params, { ...ctx.options, onRequestId }))
  }
  return Object.assign(onRequest, {
    onNotification: async (ctx: ClientNotificationContext, next: ClientNotificationNext) => {
      await trace(ctx, {}, undefined, async (params) => {
        await next(params)
        return undefined
      })
    },
    onQuestion: traceAnswers(received, options),
  })
}

function describeClientMessage(
  ctx: ClientNotificationContext,
  sent: SentId,
  signal: AbortSignal | undefined,
  { api, attributes, recordArguments = false }: TraceClientOptions,
): Operation {
  return {
    message: ctx,
    kind: SPAN_KIND_CLIENT,
    parent: api.context.active(),
    attributes: joinAttributes(describeOperation(ctx), describeDetails(ctx, recordArguments), attributes),
    outcomeOfError: (error) => outcomeOnClient(error, signal?.aborted ?? false),
    measure: (outcome) =>
      joinAttributes(describeOperation(ctx), describeOutcome(outcome), describeVersion(ctx, undefined), attributes),
    attributesAtEnd: (result) => joinAttributes(describeVersion(ctx, result), describeRequestId(sent)),
  }
}

/** During `initialize`, the revision is the one in the result. */
function describeVersion({ session, method }: ClientNotificationContext, result: JSONObject | undefined): Attributes {
  const version = method === 'initialize' ? result?.['protocolVersion'] : session.protocolVersion
  return typeof version === 'string' ? { [Attribute.ProtocolVersion]: version } : {}
}

/** From the first request to the end of the session. */
function measureSession(session: ClientSession, observer: Observer, common: Attributes | undefined): void {
  const startedAt = monotonicNow()
  const endSignal = findInternals(session)?.endSignal
  if (endSignal === undefined || endSignal.aborted) return
  listenForAbort(endSignal, () => {
    const { protocolVersion } = session
    const version: Attributes = protocolVersion === undefined ? {} : { [Attribute.ProtocolVersion]: protocolVersion }
    observer.recordSession(startedAt, { ...version, ...common })
  })
}

/**
 * In the conventions the client is the server of a request that it answers. A question inside a result is no request: its
 * answer gets an internal span beside the rounds of its call, under the span that made the call.
 */
function traceAnswers(observer: Observer, options: TraceClientOptions): ClientQuestionMiddleware {
  return (ctx, next) => {
    observer.guard.reportTo(findInternals(ctx.session)?.faults)
    return observer.observe(
      () => (ctx.isRequest ? describeServerRequest(ctx, options) : describeInputRequest(ctx, options)),
      () => next(),
    )
  }
}

function describeServerRequest(ctx: ClientQuestionContext, options: TraceClientOptions): Operation {
  const { api, trustServers = true } = options
  const described = describeAnswered(ctx, options)
  return {
    message: ctx,
    kind: SPAN_KIND_SERVER,
    ...extractContext(api, trustServers ? ctx.params : undefined),
    attributes: { [Attribute.RequestId]: String(ctx.requestId).slice(0, 128), ...described },
    outcomeOfError: (error) => outcomeOnServer(error, ctx.signal.aborted),
    // A server may invent any method name, and each would be a time series of its own.
    measure: (outcome) => ({
      ...(isServerRequest(ctx.method)
        ? described
        : { ...describeSessionVersion(ctx, options), [Attribute.MethodName]: OTHER }),
      ...describeOutcome(outcome),
    }),
  }
}

function describeInputRequest(ctx: ClientQuestionContext, options: TraceClientOptions): Operation {
  return {
    message: ctx,
    kind: SPAN_KIND_INTERNAL,
    parent: options.api.context.active(),
    attributes: describeAnswered(ctx, options),
    outcomeOfError: (error) => withoutCode(outcomeOnServer(error, ctx.signal.aborted)),
  }
}

function describeAnswered(ctx: ClientQuestionContext, options: TracingOptions): Attributes {
  return joinAttributes(describeOperation(ctx), describeSessionVersion(ctx, options))
}

function describeSessionVersion({ session }: ClientQuestionContext, { attributes }: TracingOptions): Attributes {
  const { protocolVersion } = session
  return { ...(protocolVersion !== undefined && { [Attribute.ProtocolVersion]: protocolVersion }), ...attributes }
}

/** Whether any revision has this as a request of servers. */
function isServerRequest(method: string): boolean {
  return PROTOCOL_VERSIONS.some((version) => requestRow(method, version, 'server') !== undefined)
}

/** The answer is part of another request, so no response with a code is sent. */
function withoutCode({ code: _code, ...outcome }: Outcome): Outcome {
  return outcome
}
