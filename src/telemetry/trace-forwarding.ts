// Requests that a proxy passes on to its source: a client span each, below that of the request which they came with.
import type { ServerRequestContext } from '../server/context.ts'
import type { ForwardedMessage, ForwardingLayer } from '../server/request-extras.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { isSpecMethod } from '../wire/method-rows.ts'
import { Attribute, type Attributes, OTHER, SPAN_KIND_CLIENT, type TelemetryApi, type TraceContext } from './api.ts'
import {
  describeDetails,
  describeOperation,
  describeRequestId,
  joinAttributes,
  type SentId,
} from './message-attributes.ts'
import type { Observer, Operation } from './operation.ts'
import { describeOutcome, type Outcome, outcomeOnClient } from './outcome.ts'
import { injectContext } from './trace-context.ts'

export interface ForwardingTracer {
  readonly observer: Observer
  readonly api: TelemetryApi
  readonly recordArguments: boolean
  /** Of every span and measurement. */
  readonly attributes: Attributes | undefined
}

/** Until it is answered, each request that this message leads to at another server gets a span, whose context goes with it. */
export function traceForwarding(ctx: ServerRequestContext, context: TraceContext, tracer: ForwardingTracer): void {
  const { observer, api } = tracer
  const layer: ForwardingLayer = (message, send) => {
    const sent: SentId = {}
    return observer.observe(
      () => describeForwarded(message, sent, ctx, context, tracer),
      (span) => {
        const { params } = message
        const given = span && observer.guard.attempt(() => injectContext(api, span, params))
        return send(given ?? params, (id) => {
          sent.requestId = id
        })
      },
    )
  }
  ctx.aroundForwarding((outer) => (outer === undefined ? layer : nest(outer, layer)))
}

function nest(outer: ForwardingLayer, inner: ForwardingLayer): ForwardingLayer {
  return (message, send) =>
    outer(message, (params, tellOuter) =>
      inner({ ...message, params }, (given, tellInner) =>
        send(given, (id) => {
          tellOuter?.(id)
          tellInner?.(id)
        }),
      ),
    )
}

function describeForwarded(
  message: ForwardedMessage,
  sent: SentId,
  ctx: ServerRequestContext,
  context: TraceContext,
  { api, attributes: common, recordArguments }: ForwardingTracer,
): Operation {
  const about: Attributes = {
    [Attribute.ProtocolVersion]: message.protocolVersion,
    [Attribute.ProxySource]: message.source,
  }
  const active = api.context.active()
  return {
    message,
    kind: SPAN_KIND_CLIENT,
    parent: api.trace.getSpanContext(active) === undefined ? context : active,
    attributes: joinAttributes(describeOperation(message), describeDetails(message, recordArguments), about, common),
    outcomeOfError: (error) => outcomeOnClient(error, ctx.dispatch.signal.aborted),
    measure: (outcome) => joinAttributes(describeMeasured(message, outcome), about, describeOutcome(outcome), common),
    attributesAtEnd: () => describeRequestId(sent),
  }
}

/** Names come from a client, which can invent any number of them: only those that the source has become part of a measurement. */
function describeMeasured(message: ForwardedMessage, { code }: Outcome): Attributes {
  if (!isSpecMethod(message.method)) return { [Attribute.MethodName]: OTHER }
  const isKnownTarget = code !== ErrorCode.InvalidParams && code !== ErrorCode.MethodNotFound
  return describeOperation(isKnownTarget ? message : { method: message.method, params: undefined })
}
