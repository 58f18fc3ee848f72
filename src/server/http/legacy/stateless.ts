// The legacy era without sessions: each POST is a connection of its own, at the revision that its header names.
import { InboundContext } from '../../../dispatcher/context.ts'
import type { CloseOptions } from '../../../dispatcher/dispatcher.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'
import { LATEST_LEGACY_VERSION, type LegacyVersion } from '../../../types/protocol/versions.ts'
import { hasBatches } from '../../../wire/revision-facts.ts'
import { ConnectionCore } from '../../connection.ts'
import type { ServerCore } from '../../core.ts'
import { handleNotification, handleRequest } from '../../runner.ts'
import { isInitialize, type PostContent, readPost, requestIdOf } from '../answers/post-content.ts'
import { createStatelessReplies, PostReply, type ReplyOwner } from '../answers/post-reply.ts'
import { rejectInvalid, rejectMethod, rejectTemporarily, SHUTTING_DOWN } from '../answers/reply.ts'
import { Drain } from './drain.ts'
import type { LegacyEndpoint, LegacySettings } from './legacy.ts'

/** One request whose handler runs. */
interface ActiveRequest {
  readonly id: RequestId
  readonly context: InboundContext
  readonly reply: PostReply
  isAnswered: boolean
}

/** Handlers of notifications that run at once; further notifications are dropped. */
const MAX_NOTIFICATION_HANDLERS = 1_024

export class StatelessEndpoint implements LegacyEndpoint {
  readonly sessionCount = 0
  readonly #server: ServerCore
  readonly #settings: LegacySettings
  readonly #replies: ReplyOwner
  readonly #active = new Set<ActiveRequest>()
  readonly #drain = new Drain()
  #notificationHandlers = 0

  constructor(server: ServerCore, settings: LegacySettings) {
    this.#server = server
    this.#settings = settings
    const { mode, streamAfterMs, deadlines } = settings
    const { faults } = server
    this.#replies = createStatelessReplies(
      { mode, streamAfterMs, deadlines, faults, statusOf: () => 200 },
      settings.streams,
    )
  }

  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    const { headers } = this.#settings
    if (!headers.acceptsPost(exchange, message)) return undefined
    // The handshake settles the revision; a client may still send the header of an earlier attempt with it.
    const version = isInitialize(message) ? LATEST_LEGACY_VERSION : headers.readVersion(exchange, message)
    if (version === undefined) return undefined
    const content = readPost(message, hasBatches(version))
    if (typeof content === 'string') rejectInvalid(exchange, 400, content, requestIdOf(message))
    else if (this.#drain.isClosing) rejectTemporarily(exchange, SHUTTING_DOWN.message, content.ids[0])
    else return this.#drain.track(this.#handle(exchange, message, content, version))
    return undefined
  }

  get(exchange: HttpExchange): void {
    rejectMethod(exchange, 'POST')
  }

  delete(exchange: HttpExchange): void {
    rejectMethod(exchange, 'POST')
  }

  close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    return this.#drain.close(drainMs, () => this.#shutDown())
  }

  async #shutDown(): Promise<void> {
    for (const request of this.#active) {
      request.context.abort(new DOMException(SHUTTING_DOWN.message, 'AbortError'))
      if (claim(request)) request.reply.reject(request.id, SHUTTING_DOWN)
    }
    this.#settings.streams.heartbeat.close()
    this.#settings.deadlines.clear()
  }

  /** Starts the handlers of all valid messages. What it returns resolves when all requests are answered. */
  #handle(
    exchange: HttpExchange,
    body: unknown,
    { ids, isBatch, broken }: PostContent,
    version: LegacyVersion,
  ): Promise<void> | undefined {
    const reply = new PostReply(exchange, this.#replies, { ids, isBatch })
    if (ids.length > 0) reply.begin()
    reply.rejectBroken(broken)
    const brokenMessages = new Set(broken.map(({ message }) => message))
    const transport = reply.createTransport(false)
    for (const message of Array.isArray(body) ? body : [body]) {
      if (brokenMessages.has(message)) continue
      const { id, method, params } = message as { id?: RequestId; method?: string; params?: JSONObject }
      // The server has sent no request, so there is nothing that a response could answer.
      if (method === undefined) continue
      const context = new InboundContext(reply, transport, id, params)
      const connection = createConnection(version, method === 'initialize')
      if (id === undefined) void this.#notify(connection, context, method, params)
      else void this.#call(connection, { id, context, reply, isAnswered: false }, method, params)
    }
    if (ids.length > 0) return reply.waitForAnswer()
    exchange.reply(202)
    return undefined
  }

  async #notify(
    connection: ConnectionCore,
    context: InboundContext,
    method: string,
    params: JSONObject | undefined,
  ): Promise<void> {
    const { faults } = this.#server
    if (this.#notificationHandlers >= MAX_NOTIFICATION_HANDLERS) {
      const message = 'A notification was dropped: too many are being handled.'
      faults.report({ kind: 'overflow', message, method })
      return
    }
    this.#notificationHandlers += 1
    try {
      await handleNotification(this.#server, connection, context, method, params)
    } catch (error) {
      const message = `The handler of notification '${method}' failed.`
      faults.report({ kind: 'notification-failed', message, method, error })
    }
    this.#notificationHandlers -= 1
    context.seal()
    await connection.close()
  }

  async #call(
    connection: ConnectionCore,
    request: ActiveRequest,
    method: string,
    params: JSONObject | undefined,
  ): Promise<void> {
    const { id, context, reply } = request
    this.#active.add(request)
    try {
      if (params !== undefined && !isPlainObject(params)) {
        throw new MCPError(ErrorCode.InvalidParams, 'Invalid params: expected an object')
      }
      const result = await handleRequest(this.#server, connection, context, method, params)
      if (claim(request)) reply.succeed(id, result, method)
    } catch (error) {
      if (claim(request)) reply.fail(id, error, method)
    }
    context.seal()
    this.#active.delete(request)
    await connection.close()
  }
}

/** Whether the caller is the first one to answer the request. */
function claim(request: ActiveRequest): boolean {
  if (request.isAnswered) return false
  request.isAnswered = true
  return true
}

function createConnection(version: LegacyVersion, isHandshake: boolean): ConnectionCore {
  if (isHandshake) return ConnectionCore.awaitingHandshake()
  // What the client declared with `initialize` is unknown here: it gets no optional features, and all log messages.
  return ConnectionCore.fromEnvelope({ protocolVersion: version, clientCapabilities: {}, logLevel: 'debug' })
}
