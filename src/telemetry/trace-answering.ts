// Traces what a client's callbacks answer to a server, and measures it where the question was a request.

import type { ClientQuestionContext, ClientQuestionMiddleware } from '../client/session/middleware.ts'
import type { KnownKeys } from '../primitives/json/known-keys.ts'
import { PROTOCOL_VERSIONS } from '../types/protocol/versions.ts'
import { requestRow } from '../wire/methods.ts'
import { type Attributes, SPAN_KIND_INTERNAL, SPAN_KIND_SERVER, TRACING_KEYS, type TracingOptions } from './api.ts'
import { Attribute, OTHER } from './conventions.ts'
import { describeEnding, type Ending, endingOnServer } from './ending.ts'
import { describeOperation } from './message-attributes.ts'
import type { Observer, Operation } from './operation.ts'
import { extractContext } from './trace-context.ts'

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
    observer.guard.tellTo(ctx.session.faults)
    return observer.observe(
      () => (ctx.isRequest ? describeRequest(ctx, options) : describeQuestion(ctx, options)),
      () => next(),
    )
  }
}

function describeRequest(ctx: ClientQuestionContext, options: TraceAnswersOptions): Operation {
  const { api, trustServers = true } = options
  const described = describe(ctx, options)
  return {
    message: ctx,
    kind: SPAN_KIND_SERVER,
    ...extractContext(api, trustServers ? ctx.params : undefined),
    attributes: { [Attribute.RequestId]: String(ctx.requestId).slice(0, 128), ...described },
    endingOfError: (error) => endingOnServer(error, ctx.signal.aborted),
    // A server may make up any method, and each would be a series of its own.
    measure: (ending) => ({
      ...(isQuestion(ctx.method) ? described : { ...describeVersion(ctx, options), [Attribute.MethodName]: OTHER }),
      ...describeEnding(ending),
    }),
  }
}

function describeQuestion(ctx: ClientQuestionContext, options: TraceAnswersOptions): Operation {
  return {
    message: ctx,
    kind: SPAN_KIND_INTERNAL,
    parent: options.api.context.active(),
    attributes: describe(ctx, options),
    endingOfError: (error) => withoutCode(endingOnServer(error, ctx.signal.aborted)),
  }
}

function describe(ctx: ClientQuestionContext, options: TracingOptions): Attributes {
  return { ...describeOperation(ctx), ...describeVersion(ctx, options) }
}

function describeVersion({ session }: ClientQuestionContext, { attributes }: TracingOptions): Attributes {
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
