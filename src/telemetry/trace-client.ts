// Traces and measures what a client asks and tells, as a middleware, and passes the trace on to the server.
import type {
  ClientMiddleware,
  ClientMiddlewareContext,
  ClientNext,
  ClientNotificationContext,
  ClientNotificationNext,
} from '../client/middleware.ts'
import type { ClientSession } from '../client/session.ts'
import { listenForAbort } from '../primitives/abort.ts'
import { monotonicNow } from '../primitives/timer.ts'
import type { JSONObject } from '../types/json.ts'
import { type Attributes, SPAN_KIND_CLIENT } from './api.ts'
import { Attribute } from './conventions.ts'
import { describeEnding, endingOnClient } from './ending.ts'
import { type Instruments, prepareInstruments } from './instruments.ts'
import { describeDetails, describeOperation, nameSpan } from './message-attributes.ts'
import { type Operation, observeOperation } from './operation.ts'
import type { TracingOptions } from './options.ts'
import { injectContext } from './trace-context.ts'

export type TraceClientOptions = TracingOptions

/**
 * A span and a measurement for every request, each round of a call with questions by itself, and for every notification,
 * with the trace context in its `_meta`. Put it outermost.
 */
export function traceClient(options: TraceClientOptions): ClientMiddleware {
  const { api, recordArguments = false } = options
  const common: Attributes = { ...options.attributes }
  const instrumentsOf = prepareInstruments(api, 'client')
  const watched = new WeakSet<ClientSession>()

  /** What is done for requests and notifications alike. */
  function trace<R extends JSONObject | undefined>(
    ctx: ClientNotificationContext,
    request: Attributes,
    signal: AbortSignal | undefined,
    send: (params: JSONObject | undefined) => Promise<R>,
  ): Promise<R> {
    const instruments = instrumentsOf()
    if (!watched.has(ctx.session)) {
      watched.add(ctx.session)
      measureSession(ctx.session, instruments, common)
    }
    const parent = api.context.active()
    const attributes: Attributes = {
      ...describeOperation(ctx),
      ...describeDetails(ctx, recordArguments),
      ...request,
      ...common,
    }
    const span = instruments.tracer.startSpan(nameSpan(ctx), { kind: SPAN_KIND_CLIENT, attributes }, parent)
    const operation: Operation = {
      message: ctx,
      span,
      instruments,
      recordsResults: options.recordResults ?? false,
      recordsExceptions: options.recordExceptions ?? true,
      endingOfError: (error) => endingOnClient(error, signal?.aborted ?? false),
      measure: (ending) => ({
        ...describeOperation(ctx),
        ...describeEnding(ending),
        ...describeVersion(ctx, undefined),
        ...common,
      }),
      describeEnd: (result) => describeVersion(ctx, result),
    }
    const own = api.trace.setSpan(parent, span)
    const params = injectContext(api, own, ctx.params)
    return api.context.with(own, () => observeOperation(operation, () => send(params)))
  }

  const onRequest = (ctx: ClientMiddlewareContext, next: ClientNext) =>
    trace(ctx, describeRequest(ctx), ctx.options.signal, next)
  return Object.assign(onRequest, {
    onNotification: async (ctx: ClientNotificationContext, next: ClientNotificationNext) => {
      await trace(ctx, {}, undefined, async (params) => {
        await next(params)
        return undefined
      })
    },
  })
}

/** Only where the caller chose the id: otherwise it is given further down. */
function describeRequest({ options: { requestId } }: ClientMiddlewareContext): Attributes {
  return requestId === undefined ? {} : { [Attribute.RequestId]: String(requestId) }
}

/** While it is being agreed on, the revision is what the answer says. */
function describeVersion({ session, method }: ClientNotificationContext, result: JSONObject | undefined): Attributes {
  const version = method === 'initialize' ? result?.['protocolVersion'] : session.protocolVersion
  return typeof version === 'string' ? { [Attribute.ProtocolVersion]: version } : {}
}

/** From the first request to the end of the session. */
function measureSession(session: ClientSession, { sessions }: Instruments, common: Attributes): void {
  const startedAt = monotonicNow()
  const { endSignal } = session
  if (endSignal.aborted) return
  listenForAbort(endSignal, () => {
    const version: Attributes =
      session.protocolVersion === undefined ? {} : { [Attribute.ProtocolVersion]: session.protocolVersion }
    sessions.record((monotonicNow() - startedAt) / 1000, { ...version, ...common })
  })
}
