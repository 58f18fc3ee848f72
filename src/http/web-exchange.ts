// HTTP exchanges over web `Request` and `Response`, for Workers, Deno, Bun, Hono and other runtimes and frameworks with `fetch`.

import { listenForAbort } from '../primitives/async/abort.ts'
import { callSoon } from '../primitives/async/timer.ts'
import { joinBytes } from '../primitives/byte-tools.ts'
import { orderError } from '../primitives/help.ts'
import type { AuthInfo } from '../types/protocol/auth.ts'
import { checkBodyHeaders, cutOff, declaredLength, decodeBody, tooLarge, tooSlow } from './body.ts'
import type { BodyError, BodyReceiver, EventSink, HttpExchange, ReplyHeaders } from './exchange.ts'
import { EVENT_STREAM_HEADERS } from './sse-write.ts'
import { WebEventSink } from './web-event-sink.ts'

export class WebExchange implements HttpExchange {
  readonly method: string
  readonly parsedBody = undefined
  /** A web request does not have the address on which it arrived. */
  readonly isLoopback = undefined
  auth: AuthInfo | undefined = undefined
  challengeScopes?: (scopes: readonly string[]) => string
  readonly #request: Request
  readonly #trustsLength: boolean
  readonly #onAnswer: (response: Response) => void
  /** Made when first needed: most requests are answered at once. */
  #goneListeners: Set<() => void> | undefined
  #headers: Record<string, string> | undefined
  #parts: UrlParts | undefined
  #added: Record<string, string> | undefined
  #isAnswered = false
  #isWatching = false
  #controller: AbortController | undefined

  constructor(request: Request, trustsLength: boolean, onAnswer: (response: Response) => void) {
    this.#request = request
    this.#trustsLength = trustsLength
    this.#onAnswer = onAnswer
    this.method = request.method
  }

  get isSecure(): boolean {
    return this.#urlParts().url.startsWith('https:')
  }

  get urlHost(): string {
    const { url, hostStart, pathStart } = this.#urlParts()
    return url.slice(hostStart, pathStart)
  }

  get path(): string {
    const { url, pathStart, pathEnd } = this.#urlParts()
    return url.slice(pathStart, pathEnd)
  }

  get query(): string {
    const { url, pathEnd, end } = this.#urlParts()
    return url[pathEnd] === '?' ? url.slice(pathEnd + 1, end) : ''
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    this.#headers ??= Object.fromEntries(this.#request.headers)
    return this.#headers
  }

  /** Web headers join repeated values; where one value is needed, a joined one fails its check. */
  header(name: string): string | undefined {
    // Not every name that Node's HTTP/2 has is one that web headers can look up.
    if (name.startsWith(':')) return undefined
    const value = this.#request.headers.get(name)
    if (value !== null) return value
    // Some runtimes remove the Host header; it is part of the URL.
    return name === 'host' ? this.urlHost : undefined
  }

  async text(limit: number, timeoutMs: number): Promise<string> {
    return decodeBody(await this.bytes(limit, timeoutMs))
  }

  bytes(limit: number, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((take, refuse) => this.receive(limit, timeoutMs, { take, refuse }))
  }

  receive(limit: number, timeoutMs: number, receiver: BodyReceiver): void {
    const problem = checkBodyHeaders(this, limit) ?? (this.#request.bodyUsed ? alreadyRead() : undefined)
    if (problem === undefined) {
      this.#read(limit, timeoutMs).then(
        (bytes) => receiver.take(bytes),
        (error) => receiver.refuse(error),
      )
    } else queueMicrotask(() => receiver.refuse(problem))
  }

  #read(limit: number, timeoutMs: number): Promise<Uint8Array> {
    const request = this.#request
    // Neither needs a stream to give a body whole.
    const isHeldToLength = this.#trustsLength || isOfAdapter(request)
    if (isHeldToLength && declaredLength(this) !== undefined) return readWhole(request, limit, timeoutMs)
    return request.body === null ? Promise.resolve(new Uint8Array()) : readAll(request.body, limit, timeoutMs)
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      this.onGone(() => controller.abort())
      if (this.#request.signal.aborted) controller.abort()
    }
    return this.#controller.signal
  }

  onGone(listener: () => void): () => void {
    if (this.#request.signal.aborted) return callSoon(listener)
    this.#watch()
    this.#goneListeners ??= new Set()
    this.#goneListeners.add(listener)
    return () => this.#goneListeners?.delete(listener)
  }

  get isAnswered(): boolean {
    return this.#isAnswered
  }

  reply(status: number, body?: string | Uint8Array, headers?: ReplyHeaders): void {
    this.#begin()
    const hasBody = body !== undefined && body !== '' && this.method !== 'HEAD'
    // The answer is complete: a client that disconnects later has lost nothing.
    this.#goneListeners?.clear()
    this.#onAnswer(new Response(hasBody ? (body as BodyInit) : null, { status, headers: this.#headersFor(headers) }))
  }

  stream(headers?: ReplyHeaders): EventSink {
    this.#begin()
    const sink = new WebEventSink(() => this.#notifyGone())
    const all = this.#headersFor({ ...EVENT_STREAM_HEADERS, ...headers })
    this.#onAnswer(new Response(sink.readable, { status: 200, headers: all }))
    return sink
  }

  addHeader(name: string, value: string): void {
    this.#added ??= {}
    this.#added[name.toLowerCase()] = value
  }

  #begin(): void {
    if (this.#isAnswered) throw orderError('This HTTP request was answered already.')
    this.#isAnswered = true
  }

  #headersFor(headers: ReplyHeaders | undefined): Record<string, string> {
    return { ...this.#added, ...headers }
  }

  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    listenForAbort(this.#request.signal, () => this.#notifyGone())
  }

  #notifyGone(): void {
    const listeners = [...(this.#goneListeners ?? [])]
    this.#goneListeners?.clear()
    for (const listener of listeners) listener()
  }

  /** Cached, because some runtimes build the URL with every access. */
  #urlParts(): UrlParts {
    this.#parts ??= findParts(this.#request.url)
    return this.#parts
  }
}

interface UrlParts {
  readonly url: string
  readonly hostStart: number
  readonly pathStart: number
  readonly pathEnd: number
  readonly end: number
}

/** Where the parts of the URL are; it is an absolute one, and normalized. */
function findParts(url: string): UrlParts {
  const hostStart = url.indexOf('://') + 3
  const slash = url.indexOf('/', hostStart)
  const pathStart = slash === -1 ? url.length : slash
  const hash = url.indexOf('#', pathStart)
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?', pathStart)
  return { url, hostStart, pathStart, pathEnd: mark === -1 || mark > end ? end : mark, end }
}

/**
 * Whether this is a stand-in that an adapter makes of a request of Node, whose parser ends a body at its `Content-Length`. A plain
 * `Request` may be anybody's, with a body of any length.
 */
function isOfAdapter(request: Request): boolean {
  return Object.getPrototypeOf(request) !== Request.prototype
}

function alreadyRead(): Error {
  return orderError('The request body was already read. Pass a request whose body is unread.')
}

function readWhole(request: Request, limit: number, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // A timer per request: on Workers a timer ends with the request that has set it.
    const timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs)
    request.arrayBuffer().then(
      (whole) => {
        clearTimeout(timer)
        if (whole.byteLength > limit) reject(tooLarge(limit))
        else resolve(new Uint8Array(whole))
      },
      (cause: unknown) => {
        clearTimeout(timer)
        reject(cutOff(cause))
      },
    )
  })
}

async function readAll(body: ReadableStream<Uint8Array>, limit: number, timeoutMs: number): Promise<Uint8Array> {
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  let failure: BodyError | undefined
  const stop = (error: BodyError) => {
    failure ??= error
    // Also ends a read that waits.
    reader.cancel(failure).catch(() => {})
  }
  const timer = setTimeout(() => stop(tooSlow(timeoutMs)), timeoutMs)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (failure !== undefined) throw failure
      if (done) return joinBytes(pieces, length)
      length += value.length
      if (length > limit) stop(tooLarge(limit))
      else pieces.push(value)
    }
  } catch (cause) {
    throw failure ?? cutOff(cause)
  } finally {
    clearTimeout(timer)
  }
}
