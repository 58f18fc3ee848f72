// Traces and measures the requests that a server sends while it handles one, and passes the trace on to the client.
import type { ServerRequestContext } from '../server/context.ts'
import type { SendingLayer } from '../server/session.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { type Attributes, SPAN_KIND_CLIENT, type TelemetryApi, type TraceContext } from './api.ts'
import { OTHER } from './conventions.ts'
import { describeEnding, type Ending, endingOnClient } from './ending.ts'
import {
  describeOperation,
  describeRequestId,
  describeSession,
  describeVersion,
  type Message,
  type SentAs,
} from './message-attributes.ts'
import type { Observer, Operation } from './operation.ts'
import { injectContext } from './trace-context.ts'

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
