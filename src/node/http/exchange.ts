// HTTP exchanges over `node:http`, directly: web objects would cost more than all the rest of a small request.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkBodyHeaders, cutOff, declaredLength, decodeBody } from '../../http/body.ts'
import type { BodyReceiver, EventSink, HttpExchange, ReplyHeaders, ReplyPieces } from '../../http/exchange.ts'
import { JSON_HEADERS, JSON_TYPE } from '../../http/media-type.ts'
import { EVENT_STREAM_HEADERS } from '../../http/sse-write.ts'
import type { Deadlines } from '../../primitives/async/deadlines.ts'
import { callSoon } from '../../primitives/async/timer.ts'
import type { ByteTools } from '../../primitives/byte-tools.ts'
import { orderError } from '../../primitives/help.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import { NODE_BYTES } from '../stdio/byte-tools.ts'
import { BodyReading } from './body-reading.ts'
import { NodeEventSink } from './event-sink.ts'

/** What frameworks add to a request. */
interface FrameworkRequest extends IncomingMessage {
  /** The whole URL, where a router has removed its own path from `url`. */
  originalUrl?: string
}

/** How a request arrived, beyond what `node:http` knows. */
export interface NodeArrival {
  /** The body, where a framework has parsed it already. */
  readonly parsedBody?: unknown
  /** What a framework's router left of the path; empty if the route is for this path alone. */
  readonly routedPath?: string | undefined
  /** Whether the client waits for 100 Continue before it sends the body. */
  readonly expectsContinue?: boolean
}

type Headers = Record<string, string | number>

export class NodeExchange implements HttpExchange {
  readonly method: string
  readonly parsedBody: unknown
  auth: AuthInfo | undefined = undefined
  challengeScopes?: (scopes: readonly string[]) => string
  readonly #request: FrameworkRequest
  readonly #response: ServerResponse
  readonly #arrival: NodeArrival
  readonly #headers: RequestHeaders
  /** For body deadlines, shared by all exchanges of a listener. */
  readonly #deadlines: Deadlines
  #added: Headers | undefined
  #isAnswered = false
  #reading: BodyReading | undefined
  #path: string | undefined
  #mayRepeatHeaders: boolean | undefined
  #controller: AbortController | undefined

  constructor(request: IncomingMessage, response: ServerResponse, deadlines: Deadlines, arrival: NodeArrival = {}) {
    this.#request = request
    this.#response = response
    this.#headers = request.headers as RequestHeaders
    this.#deadlines = deadlines
    this.method = request.method ?? ''
    this.#arrival = arrival
    this.parsedBody = arrival.parsedBody
  }

  get path(): string {
    this.#path ??= pathOf(this.#url())
    return this.#path
  }

  get routedPath(): string | undefined {
    return this.#arrival.routedPath ?? pathBelowMount(this.#request)
  }

  get query(): string {
    const url = this.#url()
    const mark = url.indexOf('?')
    return mark === -1 ? '' : url.slice(mark + 1)
  }

  get isLoopback(): boolean | undefined {
    return isLoopbackAddress(this.#request.socket.localAddress)
  }

  get isSecure(): boolean {
    return 'encrypted' in this.#request.socket
  }

  get headers(): RequestHeaders {
    return this.#headers
  }

  header(name: string): string | readonly string[] | undefined {
    // Node keeps the first of some repeated headers and joins others; neither shows the repetition.
    this.#mayRepeatHeaders ??= mayRepeatHeaders(this.#request)
    const values = this.#mayRepeatHeaders ? headerValues(this.#request, name) : undefined
    return values !== undefined && values.length > 1 ? values : readHeader(this.#headers, name)
  }

  async text(limit: number, timeoutMs: number): Promise<string> {
    return decodeBody(await this.bytes(limit, timeoutMs))
  }

  bytes(limit: number, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((take, refuse) => this.receive(limit, timeoutMs, { take, refuse }))
  }

  receive(limit: number, timeoutMs: number, receiver: BodyReceiver): void {
    const request = this.#request
    const problem = checkBodyHeaders(this, limit) ?? checkUnread(request)
    if (problem !== undefined) {
      process.nextTick(() => receiver.refuse(problem))
      return
    }
    // All checks that do not need the body have passed.
    if (this.#arrival.expectsContinue === true) this.#response.writeContinue()
    const length = declaredLength(this) ?? undefined
    this.#reading = new BodyReading(request, this.#deadlines, { limit, timeoutMs, length }, receiver)
  }

  get byteTools(): ByteTools {
    return NODE_BYTES
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
    // Not `once`: every open stream would keep its wrapper.
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
    // Writing to a closed connection would emit an error.
    if (response.destroyed) return
    // RFC 9110, 8.6: an answer that can have no body has no length either.
    const length = byteLength(body)
    response.writeHead(status, this.#headersFor(headers, status === 204 || status === 304 ? undefined : length))
    if (this.method === 'HEAD') response.end()
    // A text of as many bytes as characters is ASCII, which Node writes fastest under this name.
    else response.end(body, length === body.length ? 'latin1' : 'utf8')
  }

  replyPieces(status: number, { head, body, isHeadASCII }: ReplyPieces, headers?: ReplyHeaders): void {
    this.#begin()
    const response = this.#response
    if (response.destroyed) return
    const headLength = isHeadASCII ? head.length : Buffer.byteLength(head)
    response.writeHead(status, this.#headersFor(headers, headLength + body.length))
    if (this.method === 'HEAD') {
      response.end()
      return
    }
    // Corked, so that headers, head and body are written together. HTTP/2 responses have no cork.
    if ('cork' in response) response.cork()
    response.write(head, isHeadASCII ? 'latin1' : 'utf8')
    response.end(body)
  }

  stream(headers?: ReplyHeaders): EventSink {
    this.#begin()
    const response = this.#response
    if (!response.destroyed) {
      response.writeHead(200, this.#headersFor({ ...EVENT_STREAM_HEADERS, ...headers }, undefined))
    }
    // A stream may stay open for hours; the reader of its request is not needed any more.
    this.#reading?.detach()
    this.#reading = undefined
    return new NodeEventSink(response)
  }

  addHeader(name: string, value: string): void {
    this.#added ??= {}
    this.#added[name.toLowerCase()] = value
  }

  #isBodyRead(): boolean {
    return this.#reading?.isComplete === true
  }

  #url(): string {
    const url = this.#request.originalUrl ?? this.#request.url ?? '/'
    return url.startsWith('/') ? url : withoutOrigin(url, this.#request.headers.host)
  }

  #begin(): void {
    if (this.isAnswered) throw orderError('This HTTP request was answered already.')
    this.#isAnswered = true
  }

  #headersFor(headers: ReplyHeaders | undefined, length: number | undefined): Headers | string[] {
    if (headers === JSON_HEADERS && length !== undefined && this.#added === undefined && this.#isBodyRead()) {
      return ['content-type', JSON_TYPE, 'cache-control', 'no-store', 'content-length', String(length)]
    }
    const all: Headers = this.#added ?? {}
    if (headers !== undefined) for (const name in headers) all[name] = headers[name] as string
    if (length !== undefined) all['content-length'] = length
    // The rest of a rejected body must not be read as the next request.
    if (!this.#isBodyRead() && hasBody(this.#request)) all['connection'] = 'close'
    return all
  }
}

/** RFC 9112, 3.2.2: a request may name its whole URL, as one to a proxy does. Another host than that of the header is nobody's. */
function withoutOrigin(url: string, host: string | undefined): string {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (authority === undefined || authority.toLowerCase() !== host?.toLowerCase()) return url
  return rest.startsWith('/') ? rest : `/${rest}`
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? url : url.slice(0, mark)
}

/** Express and similar frameworks remove the mount path from `url`. */
function pathBelowMount({ url, originalUrl }: FrameworkRequest): string | undefined {
  return url === undefined || originalUrl === undefined || url === originalUrl ? undefined : pathOf(url)
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

function hasBody({ headers, readableEnded }: IncomingMessage): boolean {
  if (readableEnded) return false
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** A request that was read already emits no more events; waiting for one would last until the timeout. */
function checkUnread({ readableDidRead, destroyed }: IncomingMessage): Error | undefined {
  if (!readableDidRead) return destroyed ? cutOff() : undefined
  return orderError(
    'The request body was already read. Pass the parsed body as the third argument of the node handler, ' +
      'or remove the body parser from this route.',
  )
}

type HeaderLines = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/** Node has a list only for `set-cookie`, which no request has. */
type RequestHeaders = Readonly<Record<string, string | undefined>>

/**
 * A header as Node parsed it. The headers that are read from every request are written out: V8 finds a member with a constant
 * name many times as fast as one with a variable name, above all if it does not exist.
 */
function readHeader(headers: RequestHeaders, name: string): string | undefined {
  switch (name) {
    case 'host':
      return headers['host']
    case ':authority':
      return headers[':authority']
    case 'origin':
      return headers['origin']
    case 'sec-fetch-site':
      return headers['sec-fetch-site']
    case 'content-type':
      return headers['content-type']
    case 'content-length':
      return headers['content-length']
    case 'content-encoding':
      return headers['content-encoding']
    case 'accept':
      return headers['accept']
    case 'mcp-protocol-version':
      return headers['mcp-protocol-version']
    case 'mcp-method':
      return headers['mcp-method']
    case 'mcp-name':
      return headers['mcp-name']
    case 'mcp-session-id':
      return headers['mcp-session-id']
    case 'authorization':
      return headers['authorization']
    default:
      return headers[name]
  }
}

/** `false` only if every header line has a different name, and no middleware has added names. Low cost. */
function mayRepeatHeaders({ headers, rawHeaders }: HeaderLines): boolean {
  let count = 0
  let last = ''
  for (const name in headers) {
    count++
    last = name
  }
  return count !== rawHeaders.length / 2 || rawHeaders.at(-2)?.toLowerCase() !== last
}

/** All values of a header by its lower-case name, in order. */
function headerValues({ rawHeaders }: HeaderLines, name: string): readonly string[] {
  return rawHeaders.filter((_text, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}

/** Whether a socket's own address is a loopback one; `undefined` if it has none, as on a Unix socket. */
export function isLoopbackAddress(address: string | undefined): boolean | undefined {
  if (address === undefined) return undefined
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
}
