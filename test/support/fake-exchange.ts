// An HTTP exchange without HTTP: what a test sends, and what a handler answered.
import { checkBodyHeaders, decodeBody, tooLarge } from '../../src/http/body.ts'
import type { EventSink, HttpExchange, ReplyHeaders, ServerSentEvent } from '../../src/http/exchange.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import type { AuthInfo } from '../../src/types/protocol/auth.ts'

export interface FakeRequest {
  method?: string
  path?: string
  query?: string
  isLoopback?: boolean | undefined
  /** By lower-case name; a list is a header that came more than once. */
  headers?: Record<string, string | readonly string[] | undefined>
  /** A string or bytes as they are, anything else as JSON. */
  body?: unknown
  parsedBody?: unknown
  auth?: AuthInfo
}

/** The open end of a stream that remembers everything and can be told to be slow. */
export class FakeSink implements EventSink {
  readonly events: ServerSentEvent[] = []
  readonly comments: string[] = []
  isClosed = false
  isDestroyed = false
  queuedBytes = 0
  /** Whether the peer reads; while it does not, `send` asks to wait and bytes add up. */
  isReading = true
  readonly ended = createDeferred()
  #onEvent: (() => void)[] = []
  #waiting: (() => void)[] = []

  send(event: ServerSentEvent): Promise<void> | undefined {
    if (this.isClosed) return undefined
    this.events.push(event)
    for (const wake of this.#onEvent.splice(0)) wake()
    if (this.isReading) return undefined
    this.queuedBytes += event.data.length
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  comment(text: string): void {
    if (!this.isClosed) this.comments.push(text)
    for (const wake of this.#onEvent.splice(0)) wake()
  }

  close(): void {
    this.#end()
  }

  destroy(): void {
    this.isDestroyed = true
    this.#end()
  }

  /** The peer reads again. */
  drain(): void {
    this.isReading = true
    this.queuedBytes = 0
    for (const resume of this.#waiting.splice(0)) resume()
  }

  get messages(): unknown[] {
    return this.events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data))
  }

  /** Waits until so many events or comments have come. */
  async received(count: number): Promise<void> {
    while (this.events.length + this.comments.length < count && !this.isClosed) {
      await new Promise<void>((resolve) => this.#onEvent.push(resolve))
    }
  }

  #end(): void {
    this.isClosed = true
    this.ended.resolve()
    for (const wake of [...this.#onEvent.splice(0), ...this.#waiting.splice(0)]) wake()
  }
}

export class FakeExchange implements HttpExchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly isLoopback: boolean | undefined
  readonly headers: Record<string, string | undefined>
  readonly parsedBody: unknown
  auth: AuthInfo | undefined
  challengeScopes?: (scopes: readonly string[]) => string
  status: number | undefined
  body: string | Uint8Array | undefined
  replyHeaders: Record<string, string> = {}
  sink: FakeSink | undefined
  /** Resolves when an answer has begun, whole or as a stream. */
  readonly answered: Promise<void>
  readonly #raw: Record<string, string | readonly string[] | undefined>
  readonly #bytes: Uint8Array
  readonly #answered = createDeferred()
  readonly #goneListeners = new Set<() => void>()
  #controller: AbortController | undefined
  #isGone = false

  constructor(request: FakeRequest = {}) {
    this.method = request.method ?? 'POST'
    this.path = request.path ?? '/mcp'
    this.query = request.query ?? ''
    this.isLoopback = 'isLoopback' in request ? request.isLoopback : true
    this.#raw = {
      host: 'localhost:3000',
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      accept: 'application/json, text/event-stream',
      ...request.headers,
    }
    this.headers = Object.fromEntries(
      Object.entries(this.#raw).map(([name, value]) => [name, typeof value === 'object' ? value.join(', ') : value]),
    )
    this.parsedBody = request.parsedBody
    this.auth = request.auth
    this.#bytes = asBytes(request.body)
    this.answered = this.#answered.promise
  }

  header(name: string): string | readonly string[] | undefined {
    return this.#raw[name]
  }

  async bytes(limit: number, _timeoutMs: number): Promise<Uint8Array> {
    const refusal = checkBodyHeaders(this, limit)
    if (refusal !== undefined) throw refusal
    if (this.#bytes.length > limit) throw tooLarge(limit)
    return this.#bytes
  }

  async text(limit: number, timeoutMs: number): Promise<string> {
    return decodeBody(await this.bytes(limit, timeoutMs))
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isGone) this.#controller.abort()
    return this.#controller.signal
  }

  onGone(listener: () => void): () => void {
    this.#goneListeners.add(listener)
    return () => this.#goneListeners.delete(listener)
  }

  get isAnswered(): boolean {
    return this.status !== undefined
  }

  reply(status: number, body?: string | Uint8Array, headers: ReplyHeaders = {}): void {
    this.#begin(status, headers)
    this.body = body
  }

  stream(headers: ReplyHeaders = {}): FakeSink {
    this.#begin(200, { 'content-type': 'text/event-stream', ...headers })
    this.sink = new FakeSink()
    return this.sink
  }

  addHeader(name: string, value: string): void {
    if (this.isAnswered) throw new Error('addHeader after the answer has begun')
    this.replyHeaders[name.toLowerCase()] = value
  }

  /** The whole answer as JSON. */
  get json(): unknown {
    return JSON.parse(typeof this.body === 'string' ? this.body : new TextDecoder().decode(this.body))
  }

  /** The peer goes away. */
  leave(): void {
    this.#isGone = true
    this.#controller?.abort()
    if (this.sink !== undefined) this.sink.destroy()
    for (const listener of [...this.#goneListeners]) listener()
    this.#goneListeners.clear()
  }

  #begin(status: number, headers: ReplyHeaders): void {
    if (this.isAnswered) throw new Error('An exchange is answered once')
    this.status = status
    for (const [name, value] of Object.entries(headers)) this.replyHeaders[name.toLowerCase()] = value
    this.#answered.resolve()
  }
}

function asBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (body === undefined) return new Uint8Array()
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}
