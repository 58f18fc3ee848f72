// The modern era over HTTP: each POST is a request that stands for itself, checked in the order that the protocol demands.
import { InboundContext } from '../../../dispatcher/context.ts'
import { INVALID_ID, isRequestId } from '../../../dispatcher/request-id.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { accepts, EVENT_STREAM_TYPE, JSON_TYPE } from '../../../http/media-type.ts'
import { Deadlines } from '../../../primitives/async/deadlines.ts'
import { monotonicNow, settlesWithin } from '../../../primitives/async/timer.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { type MCPError, UnsupportedProtocolVersionError } from '../../../types/errors/errors.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { JSONRPC_VERSION, type RequestId } from '../../../types/protocol/jsonrpc.ts'
import { isModernVersion, LATEST_MODERN_VERSION } from '../../../types/protocol/versions.ts'
import type { Envelope } from '../../../wire/envelope.ts'
import { type HeaderLookup, readHeader } from '../../../wire/headers/headers.ts'
import { checkParamHeaders } from '../../../wire/headers/param-headers.ts'
import { checkRoutingHeaders } from '../../../wire/headers/routing-headers.ts'
import { classifyModernRequest, hasModernEnvelope, httpStatusOf } from '../../../wire/inbound.ts'
import { requestRow } from '../../../wire/methods.ts'
import { ownMember } from '../../../wire/shapes/own.ts'
import { Connection, type ConnectionOptions } from '../../connection.ts'
import { ServerRequestContext } from '../../context.ts'
import { serveOne } from '../../drivers.ts'
import type { Server } from '../../server.ts'
import { HttpTransport } from '../answers/http-transport.ts'
import { refuseForNow } from '../answers/refusals.ts'
import { replyError } from '../answers/reply.ts'
import type { Admission } from '../guards/admission.ts'
import type { HandlerSettings } from '../handler-options.ts'
import { Heartbeat } from '../streams/heartbeat.ts'
import { type AnswerOwner, ModernAnswer, ModernNotices, NOBODY } from './answer.ts'

/** A request whose handler has not come to an end yet. */
interface UnderWay {
  readonly exchange: HttpExchange
  readonly answer: ModernAnswer
  readonly context: InboundContext
  readonly method: string
  readonly isSubscription: boolean
  done: Promise<void> | undefined
}

/** How long handlers that were told to stop may take to say a last word. */
const LAST_WORD_MS = 500

const LISTEN = 'subscriptions/listen'
const SHUTTING_DOWN = Object.freeze({ code: ErrorCode.InternalError, message: 'The server is shutting down' })

export class ModernEndpoint {
  readonly #server: Server
  readonly #admission: Admission
  readonly #streamAfterMs: number
  readonly #owner: AnswerOwner
  readonly #options: ConnectionOptions
  readonly #notices: ModernNotices
  readonly #underWay = new Set<UnderWay>()
  /** Why handlers are aborted, once they are. */
  #closing: DOMException | undefined

  constructor(server: Server, settings: HandlerSettings, admission: Admission) {
    const { faults } = server
    this.#server = server
    this.#admission = admission
    this.#streamAfterMs = settings.streamAfterMs
    this.#owner = {
      heartbeat: new Heartbeat(settings.keepAliveMs),
      deadlines: new Deadlines(),
      faults,
      maxQueuedBytes: settings.maxQueuedBytes,
    }
    this.#options = {
      onCleanupError: (error) =>
        faults.report({ kind: 'handler-failed', message: 'A cleanup of a connection failed', error }),
    }
    this.#notices = new ModernNotices(server, admission, this.#options)
  }

  /** Answers one message that is no batch. Resolves when its handler is done, that of a subscription excepted. */
  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    if (!isPlainObject(message) || message['jsonrpc'] !== JSONRPC_VERSION || typeof message['method'] !== 'string') {
      return refuseShape(exchange, 'Expected one JSON-RPC request or notification')
    }
    const { id, method } = message as { id: unknown; method: string }
    const params = message['params'] as JSONObject | undefined
    if (id === undefined) return this.#notification(exchange, method, params)
    if (!isRequestId(id)) return refuseShape(exchange, INVALID_ID)
    return this.#request(exchange, id, method, params)
  }

  /** Ends subscriptions in good order, lets calls finish until `deadline` settles, then tells them to stop. */
  async close(deadline: Promise<unknown>): Promise<void> {
    this.#closing ??= new DOMException(SHUTTING_DOWN.message, 'AbortError')
    const closing = this.#closing
    for (const { context, isSubscription } of this.#underWay) if (isSubscription) context.abort(closing)
    await Promise.race([this.#allDone(), deadline])
    for (const { context } of this.#underWay) context.abort(closing)
    this.#notices.abort(closing)
    await settlesWithin(this.#allDone(), LAST_WORD_MS)
    for (const { answer } of this.#underWay) answer.refuse(SHUTTING_DOWN, 503)
    this.#owner.heartbeat.close()
  }

  #allDone(): Promise<unknown> {
    return Promise.all([...this.#underWay].map(({ done }) => done))
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
        checkHeaders: (protocolVersion) =>
          checkRoutingHeaders({ method, params, protocolVersion, nameParam: nameParamOf(server, method) }, lookup),
      },
    )
    if (!classified.ok) return refuseRequest(exchange, id, this.#explain(classified.error, method, params))
    const mismatch = method === 'tools/call' ? checkMirrors(server, params, lookup) : undefined
    if (mismatch !== undefined && !this.#hides(exchange, classified.route, id, params)) {
      return refuseRequest(exchange, id, mismatch)
    }
    if (!isAcceptable(exchange, method)) {
      replyError(exchange, 406, id, {
        code: ErrorCode.InvalidRequest,
        message: 'Not acceptable: the Accept header must allow application/json and text/event-stream',
      })
      return undefined
    }
    return this.#dispatch(exchange, classified.route, id, method, params)
  }

  /** A refusal for its headers would tell that a tool exists; one that is hidden from this caller goes on to be unknown. */
  #hides(exchange: HttpExchange, route: Envelope, id: RequestId, params: JSONObject | undefined): boolean {
    const { isToolHidden } = this.#server
    if (isToolHidden === undefined) return false
    const dispatch = new InboundContext(NOBODY, new HttpTransport(exchange), id, params)
    const connection = Connection.fromEnvelope(route, this.#options)
    const request = new ServerRequestContext(this.#server, connection, dispatch, 'tools/call', params)
    return isToolHidden(String(ownMember(params, 'name')), request)
  }

  #dispatch(
    exchange: HttpExchange,
    route: Envelope,
    id: RequestId,
    method: string,
    params: JSONObject | undefined,
  ): Promise<void> | undefined {
    const isSubscription = method === LISTEN
    if (isSubscription && !this.#admission.enterStream(exchange.auth)) {
      refuseForNow(exchange, 'Too many open streams', id)
      return undefined
    }
    const answer = new ModernAnswer(exchange, id, this.#owner)
    const context = new InboundContext(answer, new HttpTransport(exchange), id, params)
    let outcome: JSONObject | Promise<JSONObject>
    try {
      outcome = serveOne(this.#server, route, context, method, params, this.#options)
    } catch (error) {
      outcome = Promise.reject(error)
    }
    if (outcome instanceof Promise) {
      return this.#await(outcome, { exchange, answer, context, method, isSubscription, done: undefined })
    }
    answer.succeed(outcome, method)
    if (isSubscription) this.#admission.leaveStream(exchange.auth)
    return undefined
  }

  #await(outcome: Promise<JSONObject>, request: UnderWay): Promise<void> | undefined {
    const { answer } = request
    // A subscription keeps these functions for as long as it is open, so they hold on to nothing but the request.
    // Spec, Cancellation: a client that goes away has cancelled its request.
    request.exchange.onGone(() => {
      request.answer.abandon()
      request.context.abort(new DOMException('The client went away', 'AbortError'))
    })
    answer.dueAt = monotonicNow() + this.#streamAfterMs
    this.#owner.deadlines.add(answer)
    const done = outcome.then(
      (result) => {
        request.answer.succeed(result, request.method)
        this.#leave(request)
      },
      (error) => {
        // A handler that gives up because we close has not failed.
        if (error !== undefined && error === this.#closing) request.answer.refuse(SHUTTING_DOWN, 503)
        else request.answer.fail(error, request.method)
        this.#leave(request)
      },
    )
    request.done = done
    this.#underWay.add(request)
    // It has its own place among the streams, and should not hold that of a request as well.
    return request.isSubscription ? undefined : done
  }

  #leave(request: UnderWay): void {
    request.context.seal()
    this.#underWay.delete(request)
    if (request.isSubscription) this.#admission.leaveStream(request.exchange.auth)
  }

  /** Core 2026-07-28 has no notifications from clients; those of extensions are taken, and answered before they are handled. */
  #notification(exchange: HttpExchange, method: string, params: JSONObject | undefined): undefined {
    const version = readHeader('mcp-protocol-version', (name) => exchange.header(name))
    if (typeof version !== 'string' || !isModernVersion(version) || !this.#speaks(version)) {
      const requested = typeof version === 'string' ? version.slice(0, 128) : ''
      return refuseRequest(
        exchange,
        undefined,
        new UnsupportedProtocolVersionError(this.#server.supportedVersions, requested),
      )
    }
    if (params !== undefined && !isPlainObject(params)) return refuseShape(exchange, 'params must be an object')
    this.#notices.take(exchange, method, params)
    return undefined
  }

  #speaks(version: string): boolean {
    return (this.#server.supportedVersions as readonly string[]).includes(version)
  }

  /** A client of the other era must learn what we speak: it has no other way to tell its user. */
  #explain(error: MCPError, method: string, params: JSONObject | undefined): MCPError {
    if (method !== 'initialize' || hasModernEnvelope(params)) return error
    const requested = ownMember(params, 'protocolVersion')
    const text = typeof requested === 'string' ? requested.slice(0, 128) : ''
    return new UnsupportedProtocolVersionError(this.#server.supportedVersions, text)
  }
}

function nameParamOf({ extensions }: Server, method: string): string | undefined {
  const row = requestRow(method, LATEST_MODERN_VERSION, 'client')
  return row === undefined ? extensions?.nameParam(method, LATEST_MODERN_VERSION) : row.nameParam
}

/** Whether the annotated arguments of a call are what its headers say. */
function checkMirrors(server: Server, params: JSONObject | undefined, lookup: HeaderLookup): MCPError | undefined {
  const annotations = server.mirroredArguments?.(String(ownMember(params, 'name')))
  if (annotations === undefined || annotations.length === 0) return undefined
  return checkParamHeaders(annotations, ownMember(params, 'arguments') as JSONObject | undefined, lookup)
}

/** Either form will do, except for a subscription, which is nothing but a stream. */
function isAcceptable(exchange: HttpExchange, method: string): boolean {
  if (accepts(exchange, EVENT_STREAM_TYPE)) return true
  return method !== LISTEN && accepts(exchange, JSON_TYPE)
}

function refuseShape(exchange: HttpExchange, problem: string): undefined {
  replyError(exchange, 400, undefined, { code: ErrorCode.InvalidRequest, message: `Invalid request: ${problem}` })
  return undefined
}

function refuseRequest(exchange: HttpExchange, id: RequestId | undefined, error: MCPError): undefined {
  replyError(exchange, httpStatusOf(error.code), id, error)
  return undefined
}
