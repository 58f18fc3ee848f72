// Traces and measures what a client asks, as a middleware, and passes the trace on to the server.
import type { ClientMiddleware, ClientMiddlewareContext } from '../client/middleware.ts'
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
 * A span and a measurement for every request, each round of a call with questions by itself, with the trace context in its
 * `_meta`. Put it outermost.
 */
export function traceClient(options: TraceClientOptions): ClientMiddleware {
  const { api, recordArguments = false } = options
  const common: Attributes = { ...options.attributes }
  const instrumentsOf = prepareInstruments(api, 'client')
  const watched = new WeakSet<ClientSession>()
  return (ctx, next) => {
    const instruments = instrumentsOf()
    if (!watched.has(ctx.session)) {
      watched.add(ctx.session)
      measureSession(ctx.session, instruments, common)
    }
    const parent = api.context.active()
    const attributes: Attributes = {
      ...describeOperation(ctx),
      ...describeDetails(ctx, recordArguments),
      ...describeRequest(ctx),
      ...common,
    }
    const span = instruments.tracer.startSpan(nameSpan(ctx), { kind: SPAN_KIND_CLIENT, attributes }, parent)
    const operation: Operation = {
      message: ctx,
      span,
      instruments,
      recordsResults: options.recordResults ?? false,
      recordsExceptions: options.recordExceptions ?? true,
      endingOfError: (error) => endingOnClient(error, ctx.options.signal?.aborted ?? false),
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
    return api.context.with(own, () => observeOperation(operation, () => next(params)))
  }
}

/** Only where the caller chose the id: otherwise it is given further down. */
function describeRequest({ options: { requestId } }: ClientMiddlewareContext): Attributes {
  return requestId === undefined ? {} : { [Attribute.RequestId]: String(requestId) }
}

/** While it is being agreed on, the revision is what the answer says. */
function describeVersion({ session, method }: ClientMiddlewareContext, result: JSONObject | undefined): Attributes {
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
