// Where requests go once the guards have let them pass: by path, by method, and by the era of their message.
import { type MessageLimits, SERVER_LIMITS } from '../../dispatcher/decode.ts'
import { INTERNAL_ERROR } from '../../dispatcher/error-policy.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import { isJsonContent } from '../../http/media-type.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'
import { MAX_TIMER_MS, settlesWithin } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isLegacyVersion } from '../../types/protocol/versions.ts'
import { eraOf } from '../../wire/inbound.ts'
import type { Server } from '../server.ts'
import { readBody, readMessage, refuseBody, sizeOfBody } from './answers/post-body.ts'
import { hasRequest } from './answers/post-content.ts'
import { refuseForNow, refuseMethod } from './answers/refusals.ts'
import { replyError } from './answers/reply.ts'
import { ServerLease } from './answers/server-lease.ts'
import { Admission } from './guards/admission.ts'
import {
  completeSettings,
  type HandlerOptions,
  type HandlerSettings,
  isAt,
  mountPathOf,
  placeOf,
} from './handler-options.ts'
import { createHandshakeEndpoint, type HandshakeEndpoint } from './legacy/legacy.ts'
import { createLegacySseEndpoint, type LegacySseEndpoint } from './legacy/legacy-sse.ts'
import { ModernEndpoint } from './modern/modern.ts'

/** How long sessions may take to end once their time to drain is over. */
const LAST_WORD_MS = 2_000

type Delivery = (exchange: HttpExchange, message: unknown) => Promise<void> | void

export class Endpoint {
  readonly settings: HandlerSettings
  readonly #server: Server
  readonly #lease: ServerLease
  readonly #limits: MessageLimits
  readonly #admission: Admission
  readonly #modern: ModernEndpoint
  readonly #handshake: HandshakeEndpoint | undefined
  readonly #legacySse: LegacySseEndpoint | undefined
  readonly #hurry = createDeferred()
  #detach: (() => void) | undefined
  #closing: Promise<void> | undefined

  constructor(server: Server, options: HandlerOptions) {
    const settings = completeSettings(options)
    this.settings = settings
    this.#server = server
    this.#lease = new ServerLease(server)
    this.#limits = { ...SERVER_LIMITS, maxBytes: settings.maxBodyBytes }
    this.#admission = new Admission(settings)
    this.#modern = new ModernEndpoint(server, settings, this.#admission)
    if (!server.supportedVersions.some(isLegacyVersion)) return
    this.#handshake = createHandshakeEndpoint(server, options)
    if (settings.legacySse !== undefined) {
      const { messagesPath } = settings.legacySse
      this.#legacySse = createLegacySseEndpoint(server, { ...options, messagesPath })
    }
  }

  /** Sessions of the legacy era that are open. */
  get sessionCount(): number {
    return this.#handshake?.sessionCount ?? 0
  }

  /** The methods that the main path takes, as `Allow` lists them. */
  get methods(): string {
    return this.#handshake === undefined ? 'POST' : 'GET, POST, DELETE'
  }

  /** From here on, closing the server closes this, too. */
  attach(): void {
    this.#detach = this.#server.closeAlong(this)
  }

  /** Enters the server's lifespan. The first request does that too, where nobody has. */
  async start(): Promise<void> {
    await this.#lease.take()
  }

  route(exchange: HttpExchange): Promise<void> | void {
    const { method } = exchange
    const { settings } = this
    if (isAt(exchange, settings.path) || exchange.routedPath === '') return this.#main(exchange, method)
    const ssePath = settings.legacySse?.path
    if (ssePath !== undefined && isAt(exchange, ssePath)) {
      if (method !== 'GET') return refuseMethod(exchange, 'GET')
      return this.#admit(exchange, () => this.#legacySse?.get(exchange, mountPathOf(exchange, ssePath)))
    }
    if (this.#legacySse !== undefined && isAt(exchange, settings.legacySse?.messagesPath)) {
      if (method !== 'POST') return refuseMethod(exchange, 'POST')
      return this.#post(exchange, this.#deliverLegacy)
    }
    const message = `Not found. The MCP endpoint is at ${placeOf(exchange, settings.path)}`
    replyError(exchange, 404, undefined, { code: ErrorCode.InvalidRequest, message })
  }

  /** Says whether requests are taken, and nothing else. */
  replyHealth(exchange: HttpExchange): void {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      refuseMethod(exchange, 'GET, HEAD')
      return
    }
    const isOpen = this.#closing === undefined
    exchange.reply(isOpen ? 200 : 503, isOpen ? 'ok' : 'closing', {
      'content-type': 'text/plain',
      'cache-control': 'no-store',
    })
  }

  /** Any number of times: a later call can only shorten what the earlier ones allowed. */
  close({ drainMs = 5_000 }: { drainMs?: number } = {}): Promise<void> {
    const timer = setTimeout(() => this.#hurry.resolve(), Math.min(drainMs, MAX_TIMER_MS))
    const handshake = Promise.all([this.#handshake?.close({ drainMs }), this.#legacySse?.close({ drainMs })])
    this.#closing ??= this.#shutDown(handshake)
    const disarm = () => clearTimeout(timer)
    this.#closing.then(disarm, disarm)
    return this.#closing
  }

  async #shutDown(handshake: Promise<unknown>): Promise<void> {
    const hurried = this.#hurry.promise.then(() => settlesWithin(handshake, LAST_WORD_MS))
    await Promise.all([this.#modern.close(this.#hurry.promise), Promise.race([handshake, hurried])])
    this.#detach?.()
    await this.#lease.giveBack()
  }

  #main(exchange: HttpExchange, method: string): Promise<void> | void {
    if (method === 'POST') return this.#post(exchange, this.#deliver)
    const handshake = this.#handshake
    if (handshake !== undefined && method === 'GET') return this.#admit(exchange, () => handshake.get(exchange))
    if (handshake !== undefined && method === 'DELETE') return this.#admit(exchange, () => handshake.delete(exchange))
    refuseMethod(exchange, this.methods)
  }

  #post(exchange: HttpExchange, deliver: Delivery): Promise<void> | void {
    if (!isJsonContent(exchange)) {
      const message = 'The Content-Type must be application/json'
      return replyError(exchange, 415, undefined, { code: ErrorCode.InvalidRequest, message })
    }
    const { auth } = exchange
    let bytes = this.#admission.weigh(exchange)
    if (!this.#admission.enter(auth, bytes)) return refuseForNow(exchange, 'Too much work under way; try again later')
    const leave = () => this.#admission.leave(auth, bytes)
    const handle = (work: () => Promise<void> | void) => this.#leaveAfter(exchange, work, leave)
    const take = (body: unknown) =>
      handle(() => {
        if (bytes !== 0) bytes = this.#admission.reweigh(auth, bytes, sizeOfBody(body, this.#limits))
        return this.#receive(exchange, body, deliver)
      })
    const refuse = (error: unknown) => void handle(() => refuseBody(exchange, error, this.#server.faults))
    return readBody(exchange, this.#limits, this.settings.bodyTimeoutMs, take, refuse)
  }

  /** As `finally` does it, at a third of the cost, and with nothing thrown on. */
  #leaveAfter(exchange: HttpExchange, work: () => Promise<void> | void, leave: () => void): Promise<void> | void {
    const fail = (error: unknown) => {
      leave()
      this.fail(exchange, error)
    }
    try {
      const working = work()
      if (working instanceof Promise) return working.then(leave, fail)
      leave()
    } catch (error) {
      fail(error)
    }
  }

  /** Whatever fails in here, a wrapper included, lets nothing pass and is told to the author only. */
  fail(exchange: HttpExchange, error: unknown): void {
    this.#server.faults.report({ kind: 'transport', message: 'A request could not be served', error })
    if (!exchange.isAnswered) replyError(exchange, 500, undefined, INTERNAL_ERROR)
  }

  #receive(exchange: HttpExchange, body: unknown, deliver: Delivery): Promise<void> | void {
    let message: unknown
    try {
      message = readMessage(body, this.#limits, exchange.byteTools)
    } catch (error) {
      return refuseBody(exchange, error, this.#server.faults)
    }
    // Calls that are being finished may wait for an answer of their client.
    if (this.#closing !== undefined && isPartOfSession(exchange, message)) return deliver(exchange, message)
    return this.#admit(exchange, () => deliver(exchange, message))
  }

  /** Does the work unless we are closing, and not before the server has started. */
  #admit(exchange: HttpExchange, work: () => Promise<void> | void): Promise<void> | void {
    if (this.#closing !== undefined) return refuseForNow(exchange, 'The server is shutting down')
    const starting = this.#lease.take()
    return starting === undefined ? work() : this.#doAfter(starting, exchange, work)
  }

  async #doAfter(starting: Promise<void>, exchange: HttpExchange, work: () => Promise<void> | void): Promise<void> {
    try {
      await starting
    } catch (error) {
      this.#server.faults.report({
        kind: 'handler-failed',
        message: 'The lifespan of the server failed to start',
        error,
      })
      return replyError(exchange, 500, undefined, { code: ErrorCode.InternalError, message: 'Internal error' })
    }
    await work()
  }

  /** The era is decided here, once, by the same function as on every other transport. */
  readonly #deliver: Delivery = (exchange, message) => {
    const handshake = this.#handshake
    const isHandshake = handshake !== undefined && !isModern(exchange, message)
    return isHandshake ? handshake.post(exchange, message) : this.#modern.post(exchange, message)
  }

  readonly #deliverLegacy: Delivery = (exchange, message) => this.#legacySse?.post(exchange, message)
}

/** Answers and notifications belong to a session, and begin nothing. */
function isPartOfSession(exchange: HttpExchange, message: unknown): boolean {
  return !hasRequest(message) && !isModern(exchange, message)
}

function isModern(exchange: HttpExchange, message: unknown): boolean {
  // What is no message at all is told so by either era; a batch and an answer exist in the older one only.
  if (!isPlainObject(message) || typeof message['method'] !== 'string') return false
  const request = { method: message['method'], params: message['params'] as JSONObject | undefined }
  return eraOf(request, (name) => exchange.header(name)) === 'modern'
}
