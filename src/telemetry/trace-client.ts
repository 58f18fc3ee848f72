// Traces and measures what a client asks, tells and answers, as a middleware, and passes the trace on to the server.
import type {
  ClientMiddleware,
  ClientMiddlewareContext,
  ClientNext,
  ClientNotificationContext,
  ClientNotificationNext,
} from '../client/session/middleware.ts'
import type { ClientSession } from '../client/session/session.ts'
import { listenForAbort } from '../primitives/async/abort.ts'
import { monotonicNow } from '../primitives/async/timer.ts'
import { checkKeys } from '../primitives/json/known-keys.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import { type Attributes, SPAN_KIND_CLIENT } from './api.ts'
import { Attribute } from './conventions.ts'
import { describeEnding, endingOnClient } from './ending.ts'
import { describeDetails, describeOperation, describeRequestId, type SentAs } from './message-attributes.ts'
import { Guard, Observer, type Operation } from './operation.ts'
import { TRACE_ANSWERS_KEYS, type TraceAnswersOptions, traceAnswers } from './trace-answering.ts'
import { injectContext } from './trace-context.ts'

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
    guard.tellTo(ctx.session.faults)
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
  const { endSignal } = session
  if (endSignal.aborted) return
  listenForAbort(endSignal, () => {
    const { protocolVersion } = session
    const version: Attributes = protocolVersion === undefined ? {} : { [Attribute.ProtocolVersion]: protocolVersion }
    observer.recordSession(startedAt, { ...version, ...common })
  })
}
