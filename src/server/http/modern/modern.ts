// The modern era over HTTP: each POST is a request of its own, checked in the order that the protocol demands.

import { InboundContext } from '../../../dispatcher/context.ts'
import { INVALID_ID, isRequestId } from '../../../dispatcher/request-id.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { accepts, EVENT_STREAM_TYPE, JSON_TYPE } from '../../../http/media-type.ts'
import { Deadlines } from '../../../primitives/async/deadlines.ts'
import { settlesWithin } from '../../../primitives/async/timer.ts'
import { isPlainObject, ownMember } from '../../../primitives/json/objects.ts'
import { loading } from '../../../primitives/loading.ts'
import { type MCPError, UnsupportedProtocolVersionError } from '../../../types/errors/errors.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { JSONRPC_VERSION, type RequestId } from '../../../types/protocol/jsonrpc.ts'
import { isModernVersion, type ModernVersion, type ProtocolVersion } from '../../../types/protocol/versions.ts'
import { checkRoutingHeaders, type HeaderLookup, readHeader } from '../../../wire/headers/headers.ts'
import { checkParamHeaders } from '../../../wire/headers/param-headers.ts'
import { classifyModernRequest, hasModernEnvelope, httpStatusOf } from '../../../wire/inbound-era.ts'
import { requestFacts, requestRow } from '../../../wire/method-rows.ts'
import type { ConnectionOptions } from '../../connection.ts'
import type { ServerRequestContext } from '../../context.ts'
import type { ServerCore } from '../../core.ts'
import { cleanupReporter, openRequest, serveRequest } from '../../era-drivers.ts'
import { HttpTransport } from '../answers/http-transport.ts'
import { requestIdOf } from '../answers/post-content.ts'
import { createStatelessReplies, PostReply, type ReplyOwner } from '../answers/post-reply.ts'
import { rejectInvalid, rejectTemporarily, replyError, SHUTTING_DOWN } from '../answers/reply.ts'
import type { End } from '../answers/spread.ts'
import type { Admission } from '../guards/admission.ts'
import type { HandlerSettings } from '../handler-options.ts'
import type { StreamQueues } from '../streams/bounded-sink.ts'
import { Heartbeat } from '../streams/heartbeat.ts'
import { ModernNotifications } from './notifications.ts'

/** A request whose handler runs. */
interface ActiveRequest {
  readonly exchange: HttpExchange
  readonly reply: PostReply
  readonly context: InboundContext
  readonly id: RequestId
  readonly method: string
  readonly isSubscription: boolean
  done: Promise<void> | undefined
}

/** How long aborted handlers may take for their results when the endpoint closes. */
const ABORT_GRACE_MS = 500

/** How long a client may read nothing of a stream on which something waits. */
const READER_TIMEOUT_MS = 60_000

export class ModernEndpoint {
  readonly #server: ServerCore
  readonly #admission: Admission
  readonly #heartbeat: Heartbeat
  readonly #replies: ReplyOwner
  readonly #options: ConnectionOptions
  readonly #notifications: ModernNotifications
  readonly #active = new Set<ActiveRequest>()
  /** The reason that handlers are aborted with, once the endpoint closes. */
  #closing: DOMException | undefined

  constructor(server: ServerCore, settings: HandlerSettings, admission: Admission, queues: StreamQueues) {
    const { faults } = server
    const { streamAfterMs, keepAliveMs } = settings
    this.#server = server
    this.#admission = admission
    this.#heartbeat = new Heartbeat(keepAliveMs, server.figures)
    this.#replies = createStatelessReplies(
      { mode: 'auto', streamAfterMs, deadlines: new Deadlines(), faults, statusOf: httpStatusOf },
      {
        queues,
        heartbeat: this.#heartbeat,
        readerTimeoutMs: READER_TIMEOUT_MS,
        report: (fault) => faults.report(fault),
      },
    )
    this.#options = { onCleanupError: cleanupReporter(server) }
    this.#notifications = new ModernNotifications(server, admission, this.#options)
  }

  /** Answers one message that is no batch. Resolves when its handler is done, that of a subscription excepted. */
  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    if (!isPlainObject(message) || message['jsonrpc'] !== JSONRPC_VERSION || typeof message['method'] !== 'string') {
      return rejectShape(exchange, 'expected one JSON-RPC request or notification', requestIdOf(message))
    }
    const { id, method } = message as { id: unknown; method: string }
    const params = message['params'] as JSONObject | undefined
    if (id === undefined) return this.#notification(exchange, method, params)
    if (!isRequestId(id)) return rejectShape(exchange, INVALID_ID)
    return this.#request(exchange, id, method, params)
  }

  /** Ends subscriptions, lets other requests finish until `deadline` settles, which is in `drainMs`, then aborts them. */
  async close(deadline: Promise<unknown>, drainMs: number): Promise<void> {
    this.#closing ??= new DOMException(SHUTTING_DOWN.message, 'AbortError')
    const closing = this.#closing
    const isOneOfMany = this.#server.backend !== undefined
    const ends = [...this.#active].flatMap(({ isSubscription, reply, context }) => {
      const end = () => {
        // Spec, Subscriptions: a close without the result makes the client listen again, which it does at another node.
        if (isOneOfMany) reply.drop()
        context.abort(closing)
      }
      return isSubscription ? [end] : []
    })
    if (isOneOfMany) void spreadOut(ends, drainMs / 2, deadline)
    else for (const end of ends) end()
    await Promise.race([this.#allDone(), deadline])
    for (const { context } of this.#active) context.abort(closing)
    this.#notifications.abort(closing)
    await settlesWithin(this.#allDone(), ABORT_GRACE_MS)
    for (const { reply, id } of this.#active) reply.reject(id, SHUTTING_DOWN, 503)
    this.#heartbeat.close()
  }

  #allDone(): Promise<unknown> {
    return Promise.all([...this.#active].map(({ done }) => done))
  }

  #request(
    exchange: HttpExchange,
    id: RequestId,
    method: string,
    params: JSONObject | undefined,
  ): Promise<void> | undefined {
    const server = this.#server
    const lookup: HeaderLookup = (name) => exchange.header(name)
    const classified = classifyModernRequest(
      { method, params },
      {
        supportedVersions: server.supportedVersions,
        checkHeaders: (protocolVersion) => {
          const nameParam = nameParamOf(server, method, protocolVersion)
          return checkRoutingHeaders({ method, params, protocolVersion, nameParam }, lookup)
        },
      },
    )
    if (!classified.ok) return rejectRequest(exchange, id, this.#explain(classified.error, method, params))
    const takesStream = accepts(exchange, EVENT_STREAM_TYPE)
    const content = { ids: [id], isBatch: false }
    const reply = new PostReply(exchange, this.#replies, content, undefined, takesStream ? 'auto' : 'json')
    const context = new InboundContext(reply, new HttpTransport(exchange), id, params)
    const request = openRequest(server, classified.route, context, method, params, this.#options)
    const mismatch = method === 'tools/call' ? checkMirroredArguments(server, request, lookup) : undefined
    if (mismatch !== undefined) return rejectRequest(exchange, id, mismatch)
    // Either type will do, except for a subscription, which is always a stream.
    if (!takesStream && (requestFacts(method)?.staysOpen === true || !accepts(exchange, JSON_TYPE))) {
      const required = `${JSON_TYPE} and ${EVENT_STREAM_TYPE}`
      rejectInvalid(exchange, 406, `Not acceptable. The Accept header must include ${required}.`, id)
      return undefined
    }
    return this.#dispatch(exchange, request, reply, id)
  }

  #dispatch(
    exchange: HttpExchange,
    request: ServerRequestContext,
    reply: PostReply,
    id: RequestId,
  ): Promise<void> | undefined {
    const { method } = request
    const context = request.dispatch as InboundContext
    const isSubscription = requestFacts(method)?.staysOpen === true
    if (isSubscription && !this.#admission.enterStream(exchange.auth)) {
      rejectTemporarily(exchange, 'The server has too many open streams. Try again later.', id)
      return undefined
    }
    let outcome: JSONObject | Promise<JSONObject>
    try {
      outcome = serveRequest(request)
    } catch (error) {
      outcome = Promise.reject(error)
    }
    if (outcome instanceof Promise) {
      return this.#await(outcome, { exchange, reply, context, id, method, isSubscription, done: undefined })
    }
    reply.succeed(id, outcome, method)
    if (isSubscription) this.#admission.leaveStream(exchange.auth)
    return undefined
  }

  #await(outcome: Promise<JSONObject>, request: ActiveRequest): Promise<void> | undefined {
    // A subscription keeps these functions for as long as it is open, so they hold nothing but the request.
    // Spec, Cancellation: a client that disconnects has cancelled its request.
    request.exchange.onGone(() => {
      request.reply.drop()
      request.context.abort(new DOMException('The client has disconnected.', 'AbortError'))
    })
    request.reply.streamLater()
    const done = outcome.then(
      (result) => {
        request.reply.succeed(request.id, result, request.method)
        this.#finish(request)
      },
      (error) => {
        // A handler that stops because the endpoint closes has not failed.
        if (error !== undefined && error === this.#closing) request.reply.reject(request.id, SHUTTING_DOWN, 503)
        else request.reply.fail(request.id, error, request.method)
        this.#finish(request)
      },
    )
    request.done = done
    this.#active.add(request)
    // A subscription is counted as a stream, and no longer as a request.
    return request.isSubscription ? undefined : done
  }

  #finish(request: ActiveRequest): void {
    request.context.seal()
    this.#active.delete(request)
    if (request.isSubscription) this.#admission.leaveStream(request.exchange.auth)
  }

  /** Core 2026-07-28 has no notifications from clients; those of extensions are accepted. */
  #notification(exchange: HttpExchange, method: string, params: JSONObject | undefined): undefined {
    const version = readHeader('mcp-protocol-version', (name) => exchange.header(name))
    if (!this.#supports(version)) {
      const requested = typeof version === 'string' ? version.slice(0, 128) : ''
      const error = new UnsupportedProtocolVersionError(this.#server.supportedVersions, requested)
      return rejectRequest(exchange, undefined, error)
    }
    if (params !== undefined && !isPlainObject(params)) return rejectShape(exchange, 'params must be an object')
    this.#notifications.receive(exchange, version, method, params)
    return undefined
  }

  #supports(version: unknown): version is ModernVersion {
    return isModernVersion(version) && this.#server.supportedVersions.includes(version)
  }

  /** A legacy client must learn which revisions the server supports: it has no other way to inform its user. */
  #explain(error: MCPError, method: string, params: JSONObject | undefined): MCPError {
    if (method !== 'initialize' || hasModernEnvelope(params)) return error
    const requested = ownMember(params, 'protocolVersion')
    const text = typeof requested === 'string' ? requested.slice(0, 128) : ''
    return new UnsupportedProtocolVersionError(this.#server.supportedVersions, text)
  }
}

/** The param that `Mcp-Name` repeats, at the revision that the request names; `undefined` at a revision without the method. */
export function nameParamOf({ extensions }: Pick<ServerCore, 'extensions'>, method: string, version: string) {
  const row = requestRow(method, version as ProtocolVersion, 'client')
  return row === undefined ? extensions?.request(method, version as ProtocolVersion)?.nameParam : row.nameParam
}

/** Whether the annotated arguments of a call agree with its headers. */
function checkMirroredArguments(
  { source }: ServerCore,
  request: ServerRequestContext,
  lookup: HeaderLookup,
): MCPError | undefined {
  const { params } = request
  const annotations = source?.mirrored?.(String(ownMember(params, 'name')), request)
  if (annotations === undefined || annotations.length === 0) return undefined
  return checkParamHeaders(annotations, ownMember(params, 'arguments') as JSONObject | undefined, lookup)
}

function rejectShape(exchange: HttpExchange, problem: string, id?: RequestId): undefined {
  rejectInvalid(exchange, 400, `Invalid request: ${problem}`, id)
  return undefined
}

function rejectRequest(exchange: HttpExchange, id: RequestId | undefined, error: MCPError): undefined {
  replyError(exchange, httpStatusOf(error.code), id, error)
  return undefined
}

/** Clients listen again at other nodes: not all of them in the same moment. */
async function spreadOut(ends: readonly End[], withinMs: number, hurry: Promise<unknown>): Promise<void> {
  const { spread } = await loading(import('../answers/spread.ts'))
  await spread(ends, withinMs, hurry)
}
