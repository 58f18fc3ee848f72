// HTTP exchanges over `node:http`, directly: web objects would cost more than all the rest of a small request.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cutOff, decodeBody, refuseUnread } from '../http/body.ts'
import type { EventSink, HttpExchange, ReplyHeaders } from '../http/exchange.ts'
import { JSON_HEADERS, JSON_TYPE } from '../http/media-type.ts'
import { EVENT_STREAM_HEADERS } from '../http/sse-write.ts'
import { callSoon } from '../primitives/call-soon.ts'
import type { Deadlines } from '../primitives/deadlines.ts'
import type { AuthInfo } from '../types/auth.ts'
import { BodyReading } from './body-reading.ts'
import { headerValues, mayRepeatHeaders } from './header-lines.ts'
import { NodeEventSink } from './http-event-sink.ts'
import { isLoopbackAddress } from './loopback-address.ts'

/** What frameworks put on a request. */
interface FrameworkRequest extends IncomingMessage {
  /** As it came, where a router has cut its own path off `url`. */
  originalUrl?: string
}

type Headers = Record<string, string | number>

export class NodeExchange implements HttpExchange {
  readonly method: string
  readonly parsedBody: unknown
  auth: AuthInfo | undefined = undefined
  challengeScopes?: (scopes: readonly string[]) => string
  readonly #request: FrameworkRequest
  readonly #response: ServerResponse
  /** For body deadlines, shared by all exchanges of a listener. */
  readonly #deadlines: Deadlines
  #added: Headers | undefined
  #isAnswered = false
  #reading: BodyReading | undefined
  #mayRepeatHeaders: boolean | undefined
  #controller: AbortController | undefined

  constructor(request: IncomingMessage, response: ServerResponse, deadlines: Deadlines, parsedBody: unknown) {
    this.#request = request
    this.#response = response
    this.#deadlines = deadlines
    this.method = request.method ?? ''
    this.parsedBody = parsedBody
  }

  get path(): string {
    const url = this.#url
    const mark = url.indexOf('?')
    return mark === -1 ? url : url.slice(0, mark)
  }

  get query(): string {
    const url = this.#url
    const mark = url.indexOf('?')
    return mark === -1 ? '' : url.slice(mark + 1)
  }

  get isLoopback(): boolean | undefined {
    return isLoopbackAddress(this.#request.socket.localAddress)
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    // Node has a list for `set-cookie` alone, which no request has.
    return this.#request.headers as Record<string, string | undefined>
  }

  header(name: string): string | readonly string[] | undefined {
    // Node keeps the first of some repeated headers and joins others; neither tells that there was a second.
    this.#mayRepeatHeaders ??= mayRepeatHeaders(this.#request)
    const values = this.#mayRepeatHeaders ? headerValues(this.#request, name) : undefined
    return values !== undefined && values.length > 1 ? values : this.#request.headers[name]
  }

  async text(limit: number, timeoutMs: number): Promise<string> {
    return decodeBody(await this.bytes(limit, timeoutMs))
  }

  bytes(limit: number, timeoutMs: number): Promise<Uint8Array> {
    const refusal = refuseUnread(this, limit)
    if (refusal !== undefined) return Promise.reject(refusal)
    const request = this.#request
    if (request.readableDidRead) return Promise.reject(alreadyRead())
    // Its last event has passed: whoever waited for one now would wait for the deadline.
    if (request.destroyed) return Promise.reject(cutOff())
    this.#reading = new BodyReading(request, this.#deadlines, limit, timeoutMs)
    return this.#reading.done
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      if (this.#response.destroyed) controller.abort()
      else this.onGone(() => controller.abort())
    }
    return this.#controller.signal
  }

  onGone(listener: () => void): () => void {
    const response = this.#response
    if (response.destroyed) return callSoon(listener)
    // Not `once`, whose wrapper every open stream would keep.
    const listen = () => {
      response.off('close', listen)
      if (!response.writableFinished) listener()
    }
    response.on('close', listen)
    return () => response.off('close', listen)
  }

  get isAnswered(): boolean {
    return this.#isAnswered || this.#response.headersSent
  }

  reply(status: number, body: string | Uint8Array = '', headers?: ReplyHeaders): void {
    this.#begin()
    const response = this.#response
    // Writing to a connection that is gone would be an error of its own.
    if (response.destroyed) return
    // RFC 9110, 8.6: an answer that can have no body has no length either.
    response.writeHead(status, this.#headersFor(headers, status === 204 ? undefined : byteLength(body)))
    response.end(this.method === 'HEAD' ? undefined : body)
  }

  replyPieces(status: number, pieces: readonly (string | Uint8Array)[], headers?: ReplyHeaders): void {
    this.#begin()
    const response = this.#response
    if (response.destroyed) return
    let length = 0
    for (const piece of pieces) length += byteLength(piece)
    response.writeHead(status, this.#headersFor(headers, length))
    const last = pieces.length - 1
    if (this.method !== 'HEAD') for (let i = 0; i < last; i++) response.write(pieces[i])
    // With the end, so that all of them leave in one go.
    response.end(this.method === 'HEAD' ? undefined : pieces[last])
  }

  stream(headers?: ReplyHeaders): EventSink {
    this.#begin()
    const response = this.#response
    if (!response.destroyed) {
      response.writeHead(200, this.#headersFor({ ...EVENT_STREAM_HEADERS, ...headers }, undefined))
      response.flushHeaders()
    }
    // A stream may stay for hours, and what has read its request should not.
    this.#reading?.detach()
    this.#reading = undefined
    return new NodeEventSink(response)
  }

  addHeader(name: string, value: string): void {
    this.#added ??= {}
    this.#added[name.toLowerCase()] = value
  }

  get #isBodyRead(): boolean {
    return this.#reading?.isComplete === true
  }

  get #url(): string {
    return this.#request.originalUrl ?? this.#request.url ?? '/'
  }

  #begin(): void {
    if (this.isAnswered) throw new Error('This HTTP request has been answered already')
    this.#isAnswered = true
  }

  #headersFor(headers: ReplyHeaders | undefined, length: number | undefined): Headers {
    if (headers === JSON_HEADERS && length !== undefined && this.#added === undefined && this.#isBodyRead) {
      return { 'content-type': JSON_TYPE, 'cache-control': 'no-store', 'content-length': length }
    }
    const all: Headers = this.#added ?? {}
    if (headers !== undefined) for (const name in headers) all[name] = headers[name] as string
    if (length !== undefined) all['content-length'] = length
    // What is left of a refused body must not be taken for the next request.
    if (!this.#isBodyRead && hasBody(this.#request)) all['connection'] = 'close'
    return all
  }
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

function hasBody({ headers, readableEnded }: IncomingMessage): boolean {
  if (readableEnded) return false
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

function alreadyRead(): Error {
  return new Error(
    'The request body was read before it came here: give the parsed body as the third argument of the node handler, ' +
      'or take the body parser away from this route',
  )
}
