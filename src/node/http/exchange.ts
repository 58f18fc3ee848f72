// HTTP exchanges over `node:http`, directly: web objects would cost more than all the rest of a small request.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cutOff, declaredLength, decodeBody, refuseUnread } from '../../http/body.ts'
import type { BodyReceiver, EventSink, HttpExchange, ReplyHeaders, ReplyPieces } from '../../http/exchange.ts'
import { JSON_HEADERS, JSON_TYPE } from '../../http/media-type.ts'
import { EVENT_STREAM_HEADERS } from '../../http/sse-write.ts'
import type { Deadlines } from '../../primitives/async/deadlines.ts'
import { callSoon } from '../../primitives/async/timer.ts'
import type { ByteTools } from '../../primitives/byte-tools.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import { NODE_BYTES } from '../stdio/byte-tools.ts'
import { BodyReading } from './body-reading.ts'
import { NodeEventSink } from './event-sink.ts'

/** What frameworks put on a request. */
interface FrameworkRequest extends IncomingMessage {
  /** As it came, where a router has cut its own path off `url`. */
  originalUrl?: string
}

/** How a request came to us, where that was not by `request` of `node:http`. */
export interface NodeArrival {
  /** The body, where a framework has parsed it already. */
  readonly parsedBody?: unknown
  /** What a framework's router left of the path; empty where the route is for this path alone. */
  readonly routedPath?: string | undefined
  /** Whether the client waits to be told to go on before it sends the body. */
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

  get headers(): RequestHeaders {
    return this.#headers
  }

  header(name: string): string | readonly string[] | undefined {
    // Node keeps the first of some repeated headers and joins others; neither tells that there was a second.
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
    const refusal = refuseUnread(this, limit) ?? refuseRead(request)
    if (refusal !== undefined) {
      process.nextTick(() => receiver.refuse(refusal))
      return
    }
    // Everything that could refuse the request without its body has had its say.
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
    const length = byteLength(body)
    response.writeHead(status, this.#headersFor(headers, status === 204 ? undefined : length))
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
    // The head leaves together with the headers, and the rest with the end: all of it in one go. HTTP/2 has its own ways.
    if ('cork' in response) response.cork()
    response.write(head, isHeadASCII ? 'latin1' : 'utf8')
    response.end(body)
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

  #isBodyRead(): boolean {
    return this.#reading?.isComplete === true
  }

  #url(): string {
    return this.#request.originalUrl ?? this.#request.url ?? '/'
  }

  #begin(): void {
    if (this.isAnswered) throw new Error('This HTTP request has been answered already')
    this.#isAnswered = true
  }

  #headersFor(headers: ReplyHeaders | undefined, length: number | undefined): Headers | string[] {
    if (headers === JSON_HEADERS && length !== undefined && this.#added === undefined && this.#isBodyRead()) {
      return ['content-type', JSON_TYPE, 'cache-control', 'no-store', 'content-length', String(length)]
    }
    const all: Headers = this.#added ?? {}
    if (headers !== undefined) for (const name in headers) all[name] = headers[name] as string
    if (length !== undefined) all['content-length'] = length
    // What is left of a refused body must not be taken for the next request.
    if (!this.#isBodyRead() && hasBody(this.#request)) all['connection'] = 'close'
    return all
  }
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? url : url.slice(0, mark)
}

/** Express and its like cut the path of a mount off `url`. */
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

/** Of a request whose last event has passed, whoever waited for one would wait for the deadline. */
function refuseRead({ readableDidRead, destroyed }: IncomingMessage): Error | undefined {
  if (!readableDidRead) return destroyed ? cutOff() : undefined
  return new Error(
    'The request body was read before it came here: give the parsed body as the third argument of the node handler, ' +
      'or take the body parser away from this route',
  )
}

type HeaderLines = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/** Node has a list for `set-cookie` alone, which no request has. */
type RequestHeaders = Readonly<Record<string, string | undefined>>

/**
 * What Node made of a header. Those that every request is asked for are written out: an engine finds a member whose name stands
 * in the code many times as fast as one that it is handed, above all where it is not there.
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

/** `false` only where every line has a name of its own and no middleware has put further names there. Cheap. */
function mayRepeatHeaders({ headers, rawHeaders }: HeaderLines): boolean {
  let count = 0
  let last = ''
  for (const name in headers) {
    count++
    last = name
  }
  return count !== rawHeaders.length / 2 || rawHeaders.at(-2)?.toLowerCase() !== last
}

/** All values that came under a lower-case name, in order. */
function headerValues({ rawHeaders }: HeaderLines, name: string): readonly string[] {
  return rawHeaders.filter((_text, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}

/** Whether a socket's own address is a loopback one; `undefined` where it has none, as on a Unix socket. */
export function isLoopbackAddress(address: string | undefined): boolean | undefined {
  if (address === undefined) return undefined
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
}
