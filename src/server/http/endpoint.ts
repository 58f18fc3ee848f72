// One HTTP endpoint of a server: the steps that every request passes, from the check of its host to the era that answers it.

import { type MessageLimits, SERVER_LIMITS } from '../../dispatcher/decode.ts'
import { INTERNAL_ERROR } from '../../dispatcher/error-policy.ts'
import type { HttpExchange, HttpHandler } from '../../http/exchange.ts'
import { isJsonContent } from '../../http/media-type.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { MAX_TIMER_MS, settlesWithin } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { loading } from '../../primitives/loading.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isLegacyVersion, isModernVersion } from '../../types/protocol/versions.ts'
import { eraOf } from '../../wire/inbound-era.ts'
import type { ServerCore } from '../core.ts'
import { type BodyListener, readBody, readMessage, rejectBody, sizeOfBody } from './answers/post-body.ts'
import { hasRequest } from './answers/post-content.ts'
import { rejectInvalid, rejectMethod, rejectTemporarily, replyError, SHUTTING_DOWN } from './answers/reply.ts'
import { CardEndpoint } from './card-endpoint.ts'
import { EndpointLifespan } from './endpoint-lifespan.ts'
import { Admission } from './guards/admission.ts'
import { type Cors, createCors } from './guards/cors.ts'
import { createGuard, type Guard } from './guards/host-origin.ts'
import { Readiness } from './guards/readiness.ts'
import { completeSettings, type HandlerOptions, type HandlerSettings } from './handler-options.ts'
import { LateEndpoint } from './late-endpoint.ts'
import type { LegacyEndpoint } from './legacy/legacy.ts'
import { completeLegacyOptions } from './legacy/legacy-options.ts'
import type { LegacySseEndpoint } from './legacy/sse.ts'
import { ModernEndpoint } from './modern/modern.ts'
import { createRoutes, findRoute, isForPath, pathFor, type Route } from './routes.ts'
import { StreamQueues } from './streams/bounded-sink.ts'

/** How long legacy sessions may take to end after the time to drain. */
const CLOSE_GRACE_MS = 2_000

type Deliver = (exchange: HttpExchange, message: unknown) => Promise<void> | void

export class HttpEndpoint {
  readonly #server: ServerCore
  readonly #settings: HandlerSettings
  readonly #limits: MessageLimits
  readonly #guard: Guard
  readonly #cors: Cors | undefined
  readonly #serveAuthenticated: HttpHandler
  readonly #routes: readonly Route[]
  readonly #admission: Admission
  readonly #lifespan: EndpointLifespan
  readonly #modern: ModernEndpoint
  readonly #legacy: LateEndpoint<LegacyEndpoint> | undefined
  readonly #legacySse: LateEndpoint<LegacySseEndpoint> | undefined
  readonly #card: CardEndpoint | undefined
  readonly #readiness: Readiness
  readonly #drained = createDeferred()
  readonly #detach: () => void
  #closing: Promise<void> | undefined

  /** `serveAuthenticated` calls `serve` for requests that may be served (default: all). */
  constructor(server: ServerCore, options: HandlerOptions, serveAuthenticated?: HttpHandler) {
    const settings = completeSettings(options)
    const queues = new StreamQueues(options)
    const isLegacy = server.supportedVersions.some(isLegacyVersion)
    this.#server = server
    this.#settings = settings
    this.#limits = { ...SERVER_LIMITS, maxBytes: settings.maxBodyBytes }
    this.#guard = createGuard(options)
    this.#cors = createCors(options.cors ?? true)
    this.#readiness = new Readiness(server.backend)
    this.#admission = new Admission(settings)
    this.#lifespan = new EndpointLifespan(server)
    this.#modern = new ModernEndpoint(server, settings, this.#admission, queues)
    completeLegacyOptions(options)
    this.#legacy = isLegacy ? new LateEndpoint(() => loadLegacy(server, options, queues)) : undefined
    const paths = isLegacy ? settings.legacySse : undefined
    this.#legacySse = paths && new LateEndpoint(() => loadLegacySse(server, options, paths.messagesPath, queues))
    this.#routes = createRoutes(settings.path, this.#deliverByEra, this.#legacy, paths, this.#legacySse)
    this.#card = createCardEndpoint(server, options, settings.path, this.#guard)
    this.#serveAuthenticated = serveAuthenticated ?? ((exchange) => this.serve(exchange))
    const detach = server.closeAlong(this)
    const forgetFigure = isLegacy ? server.figures.add('sessions', () => this.sessionCount) : undefined
    this.#detach = () => {
      detach()
      forgetFigure?.()
    }
  }

  /** Open legacy sessions. */
  get sessionCount(): number {
    return this.#legacy?.current?.sessionCount ?? 0
  }

  /** Starts the lifespan of the server. The first request does that too. */
  async start(): Promise<void> {
    await this.#lifespan.start()
  }

  /** The steps of every request. Each one answers the request, or lets it pass. */
  handle(exchange: HttpExchange): Promise<void> | void {
    // Before the check of the origin and of tokens: the card is public.
    if (this.#card?.isFor(exchange)) return this.#card.answer(exchange)
    if (this.#rejectsHostOrOrigin(exchange)) return
    if (this.#answersPreflight(exchange)) return
    if (this.#answersHealthCheck(exchange)) return
    if (isForPath(exchange, this.#settings.readyPath)) return this.#answerReadiness(exchange)
    return this.#authenticate(exchange)
  }

  #rejectsHostOrOrigin(exchange: HttpExchange): boolean {
    const rejection = this.#guard.check(exchange)
    if (rejection === undefined) return false
    rejectInvalid(exchange, rejection.status, rejection.message)
    return true
  }

  /** Also allows the page that sent any other request to read the answer. */
  #answersPreflight(exchange: HttpExchange): boolean {
    this.#cors?.allow(exchange)
    if (exchange.method !== 'OPTIONS') return false
    return this.#cors?.answerPreflight(exchange, this.#routes[0]?.allow ?? 'POST') ?? false
  }

  #answersHealthCheck(exchange: HttpExchange): boolean {
    if (!isForPath(exchange, this.#settings.healthPath)) return false
    this.#answerProbe(exchange, this.#closing === undefined ? undefined : 'closing')
    return true
  }

  /** For a balancer: a process that is alive may have to get no requests. */
  async #answerReadiness(exchange: HttpExchange): Promise<void> {
    const problem = this.#closing === undefined ? await this.#readiness.problem() : 'closing'
    this.#answerProbe(exchange, problem)
  }

  #answerProbe(exchange: HttpExchange, problem: string | undefined): void {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      rejectMethod(exchange, 'GET, HEAD')
      return
    }
    exchange.reply(problem === undefined ? 200 : 503, problem ?? 'ok', {
      'content-type': 'text/plain',
      'cache-control': 'no-store',
    })
  }

  /** The wrapper answers the request, or calls `serve` with the verified caller in `exchange.auth`. */
  #authenticate(exchange: HttpExchange): Promise<void> | void {
    try {
      return this.#serveAuthenticated(exchange)?.catch((error: unknown) => this.#fail(exchange, error))
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  /** The steps after authentication: path, method, body, era. */
  serve(exchange: HttpExchange): Promise<void> | void {
    const route = findRoute(this.#routes, exchange)
    if (route === undefined) {
      return rejectInvalid(exchange, 404, `Not found. The MCP endpoint is at ${pathFor(exchange, this.#settings.path)}`)
    }
    const { method } = exchange
    if (method === 'POST' && route.post !== undefined) return this.#receive(exchange, route.post)
    const open = method === 'GET' ? route.get : method === 'DELETE' ? route.delete : undefined
    if (open === undefined) return rejectMethod(exchange, route.allow)
    return this.#whenRunning(exchange, open, undefined)
  }

  /** The body of a POST: its type, the limits of admission, its bytes. */
  #receive(exchange: HttpExchange, deliver: Deliver): Promise<void> | void {
    if (!isJsonContent(exchange)) {
      return rejectInvalid(exchange, 415, 'The Content-Type is not application/json. Send JSON in UTF-8.')
    }
    const { auth } = exchange
    let bytes = this.#admission.bytesOf(exchange)
    if (!this.#admission.enter(auth, bytes)) {
      return rejectTemporarily(exchange, 'The server handles too many requests. Try again later.')
    }
    const leave = () => this.#admission.leave(auth, bytes)
    const listener: BodyListener = {
      take: (body) => {
        if (bytes !== 0) bytes = this.#admission.correctBytes(auth, bytes, sizeOfBody(body, this.#limits))
        return this.#finish(exchange, leave, () => this.#handleMessage(exchange, body, deliver))
      },
      refuse: (error) => void this.#finish(exchange, leave, () => this.#rejectBody(exchange, error)),
    }
    return readBody(exchange, this.#limits, this.#settings.bodyTimeoutMs, listener)
  }

  /** Calls `leave` after the work. Never throws or rejects; `finally` would cost three times as much. */
  #finish(exchange: HttpExchange, leave: () => void, work: () => Promise<void> | void): Promise<void> | void {
    const fail = (error: unknown) => {
      leave()
      this.#fail(exchange, error)
    }
    try {
      const working = work()
      if (working instanceof Promise) return working.then(leave, fail)
      leave()
    } catch (error) {
      fail(error)
    }
  }

  #handleMessage(exchange: HttpExchange, body: unknown, deliver: Deliver): Promise<void> | void {
    let message: unknown
    try {
      message = readMessage(body, this.#limits, exchange.byteTools)
    } catch (error) {
      return this.#rejectBody(exchange, error)
    }
    // Calls that finish while the endpoint closes may wait for a response of their client.
    if (this.#closing !== undefined && isPartOfSession(exchange, message)) return deliver(exchange, message)
    return this.#whenRunning(exchange, deliver, message)
  }

  #rejectBody(exchange: HttpExchange, error: unknown): void {
    rejectBody(exchange, error, this.#server.faults)
  }

  /** Handles the request once the server has started, unless the endpoint closes. */
  #whenRunning(exchange: HttpExchange, handle: Deliver, message: unknown): Promise<void> | void {
    if (this.#closing !== undefined) return rejectTemporarily(exchange, SHUTTING_DOWN.message)
    const starting = this.#lifespan.start()
    return starting === undefined ? handle(exchange, message) : this.#handleAfter(starting, exchange, handle, message)
  }

  async #handleAfter(
    starting: Promise<void>,
    exchange: HttpExchange,
    handle: Deliver,
    message: unknown,
  ): Promise<void> {
    try {
      await starting
    } catch (error) {
      const text = 'The lifespan of the server failed to start.'
      this.#server.faults.report({ kind: 'handler-failed', message: text, error })
      return replyError(exchange, 500, undefined, INTERNAL_ERROR)
    }
    await handle(exchange, message)
  }

  /** The era is decided here, by the same function as on every other transport. */
  readonly #deliverByEra: Deliver = (exchange, message) => {
    const legacy = this.#legacy
    const isLegacy = legacy !== undefined && !isModern(exchange, message)
    return isLegacy ? legacy.use((endpoint) => endpoint.post(exchange, message)) : this.#modern.post(exchange, message)
  }

  /** Reports a failure of our own, or of a wrapper; the client gets no details. */
  #fail(exchange: HttpExchange, error: unknown): void {
    this.#server.faults.report({ kind: 'transport', message: 'An HTTP request could not be served.', error })
    if (!exchange.isAnswered) replyError(exchange, 500, undefined, INTERNAL_ERROR)
  }

  /** Says that no requests should come any more. Those that come are served until the endpoint closes. */
  drain(): void {
    this.#readiness.drain()
    void this.#server.cluster?.drain()
  }

  /** Idempotent: a later call can only shorten the time of the earlier ones. */
  close({ drainMs = 5_000 }: { drainMs?: number } = {}): Promise<void> {
    const timer = setTimeout(() => this.#drained.resolve(), Math.min(drainMs, MAX_TIMER_MS))
    const background = this.#lifespan.isHeld ? this.#server.background.endBefore(this, drainMs) : undefined
    const legacy = background?.then((leftMs) => this.#closeLegacy(leftMs)) ?? this.#closeLegacy(drainMs)
    this.#closing ??= this.#shutDown(legacy, background, drainMs)
    const disarm = () => clearTimeout(timer)
    this.#closing.then(disarm, disarm)
    return this.#closing
  }

  #closeLegacy(drainMs: number): Promise<unknown> {
    return Promise.all([this.#legacy?.close({ drainMs }), this.#legacySse?.close({ drainMs })])
  }

  /** Subscriptions stay open until background work has ended, since they bring its end to clients. */
  async #shutDown(legacy: Promise<unknown>, background: Promise<unknown> | undefined, drainMs: number): Promise<void> {
    if (background !== undefined) await background
    const deadline = this.#drained.promise
    const timedOut = deadline.then(() => settlesWithin(legacy, CLOSE_GRACE_MS))
    const [isLegacyOver] = await Promise.all([
      Promise.race([legacy.then(() => true), timedOut]),
      this.#modern.close(deadline, drainMs),
    ])
    this.#detach()
    const stopping = legacy.then(() => this.#lifespan.stop()).then(() => this.#server.background.left(this))
    if (isLegacyOver) await stopping
  }
}

async function loadLegacy(server: ServerCore, options: HandlerOptions, queues: StreamQueues): Promise<LegacyEndpoint> {
  const { createLegacyEndpoint } = await loading(import('./legacy/legacy.ts'))
  return createLegacyEndpoint(server, options, queues)
}

async function loadLegacySse(
  server: ServerCore,
  options: HandlerOptions,
  messagesPath: string,
  queues: StreamQueues,
): Promise<LegacySseEndpoint> {
  const { LegacySseEndpoint } = await loading(import('./legacy/sse.ts'))
  return new LegacySseEndpoint(server, { ...options, messagesPath }, queues)
}

function createCardEndpoint(
  server: ServerCore,
  { experimentalServerCard: option = false, cors = true }: HandlerOptions,
  path: string,
  guard: Guard,
): CardEndpoint | undefined {
  if (option === false) return undefined
  return new CardEndpoint(server, option === true ? {} : option, { path, cors: cors !== false, guard })
}

/** Responses and notifications belong to a session, and begin nothing. */
function isPartOfSession(exchange: HttpExchange, message: unknown): boolean {
  return !hasRequest(message) && !isModern(exchange, message)
}

function isModern(exchange: HttpExchange, message: unknown): boolean {
  // Batches and responses exist in the legacy era only, whose sessions they belong to. A modern client hears what it may send.
  if (!isPlainObject(message) || typeof message['method'] !== 'string') {
    return isModernVersion(exchange.header('mcp-protocol-version')) && exchange.header('mcp-session-id') === undefined
  }
  const request = { method: message['method'], params: message['params'] as JSONObject | undefined }
  return eraOf(request, (name) => exchange.header(name)) === 'modern'
}
