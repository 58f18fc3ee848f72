// Traces and measures what a client asks, tells and answers, as a middleware, and passes the trace on to the server.
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
import { requestRow } from '../wire/methods.ts'
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
import { describeEnding, type Ending, endingOnClient, endingOnServer } from './ending.ts'
import { describeDetails, describeOperation, describeRequestId, type SentAs } from './message-attributes.ts'
import { Guard, Observer, type Operation } from './operation.ts'
import { extractContext, injectContext } from './trace-context.ts'

export type TraceClientOptions = TraceAnswersOptions

/**
 * A span and a measurement for every request, each round of a call with questions by itself, and for every notification,
 * with the trace context in its `_meta`; a span for everything that the server asks and a callback answers. Put it outermost.
 */
export function traceClient(options: TraceClientOptions): ClientMiddleware {
  checkKeys('traceClient()', options, TRACE_ANSWERS_KEYS)
  const { api } = options
  const guard = new Guard()
  const requests = new Observer(options, 'client', guard)
  const received = new Observer(options, 'server', guard)
  const watched = new WeakSet<ClientSession>()

  /** What is done for requests and notifications alike. */
  function trace<R extends JSONObject | undefined>(
    ctx: ClientNotificationContext,
    sent: SentAs,
    signal: AbortSignal | undefined,
    send: (params: JSONObject | undefined) => Promise<R>,
  ): Promise<R> {
    guard.reportTo(findInternals(ctx.session)?.faults)
    if (!watched.has(ctx.session)) {
      watched.add(ctx.session)
      measureSession(ctx.session, requests, options.attributes)
    }
    return requests.observe(
      () => describeSent(ctx, sent, signal, options),
      (context) => {
        if (context === undefined) return send(ctx.params)
        return send(guard.attempt(() => injectContext(api, context, ctx.params)) ?? ctx.params)
      },
    )
  }

  const onRequest = (ctx: ClientMiddlewareContext, next: ClientNext) => {
    const sent: SentAs = {}
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

function describeSent(
  ctx: ClientNotificationContext,
  sent: SentAs,
  signal: AbortSignal | undefined,
  { api, attributes, recordArguments = false }: TraceClientOptions,
): Operation {
  return {
    message: ctx,
    kind: SPAN_KIND_CLIENT,
    parent: api.context.active(),
    attributes: { ...describeOperation(ctx), ...describeDetails(ctx, recordArguments), ...attributes },
    endingOfError: (error) => endingOnClient(error, signal?.aborted ?? false),
    measure: (ending) => ({
      ...describeOperation(ctx),
      ...describeEnding(ending),
      ...describeVersion(ctx, undefined),
      ...attributes,
    }),
    describeEnd: (result) => ({ ...describeVersion(ctx, result), ...describeRequestId(sent) }),
  }
}

/** While it is being agreed on, the revision is what the answer says. */
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

export interface TraceAnswersOptions extends TracingOptions {
  /** `false` ignores the trace context that servers send with their requests: they can then not join our traces. */
  trustServers?: boolean
}

export const TRACE_ANSWERS_KEYS: KnownKeys<TraceAnswersOptions> = {
  ...TRACING_KEYS,
  trustServers: true,
}

/**
 * A request of the server is answered by its server, as the conventions see it. A question within a result was not sent by itself:
 * its answer is an internal span beside the rounds of its call, under whatever span made the call.
 */
export function traceAnswers(observer: Observer, options: TraceAnswersOptions): ClientQuestionMiddleware {
  return (ctx, next) => {
    observer.guard.reportTo(findInternals(ctx.session)?.faults)
    return observer.observe(
      () => (ctx.isRequest ? describeRequest(ctx, options) : describeQuestion(ctx, options)),
      () => next(),
    )
  }
}

function describeRequest(ctx: ClientQuestionContext, options: TraceAnswersOptions): Operation {
  const { api, trustServers = true } = options
  const described = describeQuestionOperation(ctx, options)
  return {
    message: ctx,
    kind: SPAN_KIND_SERVER,
    ...extractContext(api, trustServers ? ctx.params : undefined),
    attributes: { [Attribute.RequestId]: String(ctx.requestId).slice(0, 128), ...described },
    endingOfError: (error) => endingOnServer(error, ctx.signal.aborted),
    // A server may make up any method, and each would be a series of its own.
    measure: (ending) => ({
      ...(isQuestion(ctx.method) ? described : { ...describeRevision(ctx, options), [Attribute.MethodName]: OTHER }),
      ...describeEnding(ending),
    }),
  }
}

function describeQuestion(ctx: ClientQuestionContext, options: TraceAnswersOptions): Operation {
  return {
    message: ctx,
    kind: SPAN_KIND_INTERNAL,
    parent: options.api.context.active(),
    attributes: describeQuestionOperation(ctx, options),
    endingOfError: (error) => withoutCode(endingOnServer(error, ctx.signal.aborted)),
  }
}

function describeQuestionOperation(ctx: ClientQuestionContext, options: TracingOptions): Attributes {
  return { ...describeOperation(ctx), ...describeRevision(ctx, options) }
}

function describeRevision({ session }: ClientQuestionContext, { attributes }: TracingOptions): Attributes {
  const { protocolVersion } = session
  return { ...(protocolVersion !== undefined && { [Attribute.ProtocolVersion]: protocolVersion }), ...attributes }
}

/** Whether any revision has this as a request of servers. */
function isQuestion(method: string): boolean {
  return PROTOCOL_VERSIONS.some((version) => requestRow(method, version, 'server') !== undefined)
}

/** No answer with a code is sent to anybody. */
function withoutCode({ code: _code, ...ending }: Ending): Ending {
  return ending
}
