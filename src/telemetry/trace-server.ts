// Traces and measures what a server does, as a middleware.
import { monotonicNow } from '../primitives/timer.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { Middleware } from '../server/handlers.ts'
import { ErrorCode } from '../types/error-codes.ts'
import type { JSONObject } from '../types/json.ts'
import { isSpecMethod } from '../wire/methods.ts'
import { ownMember } from '../wire/own.ts'
import { type Attributes, SPAN_KIND_SERVER } from './api.ts'
import { Attribute, OTHER } from './conventions.ts'
import { describeEnding, type Ending, endingOnServer } from './ending.ts'
import { type Instruments, prepareInstruments } from './instruments.ts'
import { describeDetails, describeOperation, nameSpan } from './message-attributes.ts'
import { describeNetwork } from './network.ts'
import { type Operation, observeOperation } from './operation.ts'
import type { TracingOptions } from './options.ts'
import { extractContext } from './trace-context.ts'

export interface TraceServerOptions extends TracingOptions {
  /** `false` ignores the trace context that clients send: strangers can then neither join nor sample our traces. */
  trustClients?: boolean
}

/** A span and a measurement for every request and notification. Put it outermost, so that it sees what others refuse. */
export function traceServer(options: TraceServerOptions): Middleware {
  const { api, trustClients = true, recordArguments = false } = options
  const instrumentsOf = prepareInstruments(api, 'server')
  return (ctx, next) => {
    const instruments = instrumentsOf()
    const common: Attributes = { ...describeNetwork(ctx.dispatch.transport.kind), ...options.attributes }
    const { parent, links } = extractContext(api, trustClients ? ctx.params : undefined)
    const attributes: Attributes = {
      ...describeOperation(ctx),
      ...describeDetails(ctx, recordArguments),
      ...describeRequest(ctx),
      ...describeVersion(ctx, undefined),
      ...common,
    }
    const span = instruments.tracer.startSpan(nameSpan(ctx), { kind: SPAN_KIND_SERVER, attributes, links }, parent)
    const operation: Operation = {
      message: ctx,
      span,
      instruments,
      recordsResults: options.recordResults ?? false,
      recordsExceptions: options.recordExceptions ?? true,
      endingOfError: (error) => endingOnServer(error, ctx.dispatch.signal.aborted),
      measure: (ending) => ({ ...describeMeasured(ctx, ending), ...describeEnding(ending), ...common }),
      describeEnd: (result) => describeVersion(ctx, result),
    }
    const work = ctx.method === 'initialize' ? () => measureSession(ctx, next(), instruments, common) : () => next()
    return api.context.with(api.trace.setSpan(parent, span), () => observeOperation(operation, work))
  }
}

function describeRequest({ requestId, dispatch }: ServerRequestContext): Attributes {
  const attributes: Attributes = {}
  if (requestId !== undefined) attributes[Attribute.RequestId] = String(requestId).slice(0, 128)
  const sessionId = ownMember(dispatch.transport.headers, 'mcp-session-id')
  if (typeof sessionId === 'string') attributes[Attribute.SessionId] = sessionId.slice(0, 128)
  return attributes
}

/** While it is being agreed on, the revision is what the answer says. */
function describeVersion(ctx: ServerRequestContext, result: JSONObject | undefined): Attributes {
  const version = ctx.method === 'initialize' ? result?.['protocolVersion'] : ctx.protocolVersion
  return typeof version === 'string' ? { [Attribute.ProtocolVersion]: version } : {}
}

/** A client can make up any number of names; only those that the server knew become part of a measurement. */
function describeMeasured(ctx: ServerRequestContext, { code }: Ending): Attributes {
  const version = describeVersion(ctx, undefined)
  if (!isKnownMethod(ctx)) return { [Attribute.MethodName]: OTHER, ...version }
  const isKnownTarget = code !== ErrorCode.InvalidParams
  return { ...describeOperation(isKnownTarget ? ctx : { method: ctx.method, params: undefined }), ...version }
}

function isKnownMethod({ method, server }: ServerRequestContext): boolean {
  if (isSpecMethod(method) || server.extensions?.has(method) === true) return true
  return server.requestHandler(method) !== undefined || server.notificationHandler(method) !== undefined
}

/** From the handshake to the end of the connection. The modern era has no sessions. */
async function measureSession(
  ctx: ServerRequestContext,
  handshake: Promise<JSONObject | undefined>,
  { sessions }: Instruments,
  common: Attributes,
): Promise<JSONObject | undefined> {
  const startedAt = monotonicNow()
  const result = await handshake
  const attributes = { ...describeVersion(ctx, result), ...common }
  ctx.connection.defer(() => sessions.record((monotonicNow() - startedAt) / 1000, attributes))
  return result
}
