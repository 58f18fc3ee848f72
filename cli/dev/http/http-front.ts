// Clients on one port, and behind it one version of the server after the other. Bodies pass as they are; of the headers only the id of
// the session differs between versions.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isPlainObject } from '../../terminal/primitives.ts'
import type { Front, FrontOptions, Listed, Prepared, Swap } from '../front.ts'
import { describeAnswer, nameOfCall, PRINTED_METHODS } from '../relay/finished-call.ts'
import {
  changeNotifications,
  compareLists,
  differingLists,
  filterMember,
  type Lists,
  mayRepeat,
} from '../relay/lists.ts'
import { failure, notification, type Params, type Reason, readBatch, readMessage } from '../relay/messages.ts'
import { Questions } from '../relay/questions.ts'
import type { ServerChild } from '../server-child.ts'
import { Exchange } from './exchange.ts'
import { fetchListsFrom } from './fetch-lists.ts'
import { HttpChild, withoutConnection } from './http-child.ts'
import { LegacySession, SESSION_HEADER } from './legacy-session.ts'
import { readRequestBody } from './request-body.ts'
import { ResponseRelay } from './response-relay.ts'
import { messageEvent, untagEventId } from './sse-events.ts'

const WAIT_MS = 10_000
const LISTS_MS = 5_000
/** Those that are carried over to the next version. */
const MAX_SESSIONS = 64
const LAST_EVENT_HEADER = 'last-event-id'

interface PreparedHttp extends Prepared {
  next: HttpChild
}

export class HttpFront implements Front {
  readonly #options: FrontOptions
  readonly #server: Server
  readonly #sessions = new Map<string, LegacySession>()
  readonly #questions = new Questions<HttpChild>()
  readonly #exchanges = new Set<Exchange>()
  readonly #relay: ResponseRelay
  #current: HttpChild | undefined
  #lists: Lists | undefined
  #authorization: string | undefined
  #reason: Reason = 'not-loaded'
  #isClosed = false

  constructor(options: FrontOptions) {
    this.#options = options
    this.#server = createServer((request, response) => void this.#take(request, response))
    // A stream stays open as long as its client likes.
    this.#server.requestTimeout = 0
    this.#relay = new ResponseRelay({
      questions: this.#questions,
      onSession: (id, exchange, child, result) => this.#openSession(id, exchange, child, result),
      onAnswer: (exchange, id, answer) => this.#report(exchange, id, answer),
      onOver: (exchange) => this.#exchanges.delete(exchange),
    })
  }

  readonly ended = new Promise<void>(() => {})

  /** Resolves to the address of the endpoint. */
  async listen(port: number, host: string): Promise<string> {
    if (this.#isClosed) throw new Error('The command is ending.')
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause: NodeJS.ErrnoException) => {
        const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.code
        reject(
          Object.assign(new Error(`Cannot listen on ${host}:${port}: ${reason}.`, { cause }), { code: cause.code }),
        )
      })
      this.#server.listen(port, host, resolve)
    })
    this.#server.on('error', () => {})
    const { port: taken } = this.#server.address() as AddressInfo
    const shown = host.includes(':') ? `[${host}]` : host
    return `http://${shown}:${taken}${this.#current?.path ?? ''}`
  }

  async prepare(child: ServerChild): Promise<PreparedHttp> {
    const present = this.#current
    const before = present && fetchListsFrom(present.url, this.#authorization, LISTS_MS)
    const { url = '' } = await child.ready
    const next = new HttpChild(child, url)
    await Promise.all([...this.#sessions.values()].map((session) => session.replay(next).catch(() => {})))
    this.#lists = (await before) ?? this.#lists
    return { child, next, warnings: [] }
  }

  swap({ next, child }: PreparedHttp): Swap {
    const before = this.#current
    this.#current = next
    next.state = 'serving'
    if (before !== undefined) before.state = 'draining'
    const waiting = this.#of(undefined)
    for (const exchange of this.#of(before)) if (exchange.isLasting) this.#reopen(exchange, next)
    for (const exchange of waiting) this.#forward(exchange, next)
    return { listed: this.#listNew(next, child.generation > 1), handedOver: this.#finish(before) }
  }

  async #finish(before: HttpChild | undefined): Promise<void> {
    if (before === undefined) return
    await this.#drain(before)
    this.#handOver(before, 'reloaded')
  }

  async #listNew(next: HttpChild, isReload: boolean): Promise<Listed> {
    const before = this.#lists
    const lists = await fetchListsFrom(next.url, this.#authorization, LISTS_MS)
    if (next !== this.#current) return { lists, changes: undefined }
    this.#lists = lists ?? before
    if (isReload) this.#announce(changeNotifications(differingLists(before, lists)))
    return { lists, changes: before && lists && compareLists(before, lists) }
  }

  lost(child: ServerChild): void {
    if (this.#current?.child !== child) return
    const link = this.#current
    this.#current = undefined
    this.#reason = 'exited'
    this.#handOver(link, 'exited')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#server.close()
    this.#server.closeAllConnections()
    for (const exchange of this.#exchanges) clearTimeout(exchange.timer)
  }

  // From a client

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readRequestBody(request)
    if (read === 'gone') return
    const { body, isWhole } = read
    const messages = isWhole && body !== undefined ? readMessages(body) : []
    const id = request.headers[SESSION_HEADER]
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined
    const exchange = new Exchange(request, response, body, messages, session)
    this.#exchanges.add(exchange)
    response.once('close', () => this.#closed(exchange))
    this.#note(exchange)
    if (this.#current === undefined) return this.#wait(exchange)
    this.#forward(exchange, this.#route(exchange, this.#current))
  }

  #note({ session, messages, request, body }: Exchange): void {
    const { authorization } = request.headers
    if (authorization !== undefined) this.#authorization = authorization
    for (const { method, params } of messages) {
      session?.note(method, isPlainObject(params) ? params : {}, request.headers, body ?? Buffer.alloc(0))
    }
    if (session !== undefined && request.method === 'DELETE') this.#sessions.delete(session.id)
  }

  /** Cancellations go to the version that has the request. */
  #route({ messages }: Exchange, current: HttpChild): HttpChild {
    const cancelled = messages.find(({ method }) => method === 'notifications/cancelled')?.['params']
    const id = isPlainObject(cancelled) ? JSON.stringify(cancelled['requestId']) : undefined
    if (id === undefined) return current
    const holder = [...this.#exchanges].find(({ open, child }) => open.has(id) && child?.state === 'draining')
    return holder?.child ?? current
  }

  #wait(exchange: Exchange): void {
    exchange.timer = setTimeout(() => this.#fail(exchange, this.#reason), WAIT_MS)
  }

  /** The client has gone, or has everything. */
  #closed(exchange: Exchange): void {
    clearTimeout(exchange.timer)
    this.#exchanges.delete(exchange)
    exchange.upstream?.destroy()
  }

  // To a version

  #forward(exchange: Exchange, child: HttpChild): void {
    clearTimeout(exchange.timer)
    const answered = this.#answeredQuestion(exchange, child)
    if (answered === 'late') return void exchange.response.writeHead(202).end()
    const target = answered?.child ?? child
    const { request } = exchange
    exchange.child = target
    const sent = target.send({
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: this.#headersFor(exchange, target),
      body: answered?.body ?? exchange.body,
    })
    exchange.upstream = sent
    if (exchange.body === undefined) sent.end()
    sent.on('error', () => this.#broken(exchange, target))
    sent.on('response', (response) => {
      response.on('error', () => this.#broken(exchange, target))
      response.on('aborted', () => this.#broken(exchange, target))
      this.#relay.begin(exchange, target, response)
    })
  }

  #headersFor({ request, session }: Exchange, child: HttpChild): Record<string, string | string[]> {
    const headers = withoutConnection(request.headers)
    const id = session?.idAt(child)
    if (id !== undefined) headers[SESSION_HEADER] = id
    const last = headers[LAST_EVENT_HEADER]
    delete headers[LAST_EVENT_HEADER]
    const known = typeof last === 'string' ? untagEventId(child.generation, last) : undefined
    return known === undefined ? headers : { ...headers, [LAST_EVENT_HEADER]: known }
  }

  /** The answer to a question goes to the version that asked. */
  #answeredQuestion(
    { messages }: Exchange,
    current: HttpChild,
  ): { child: HttpChild; body: Buffer } | 'late' | undefined {
    const [message] = messages
    if (message === undefined || messages.length > 1 || 'method' in message || !('id' in message)) return undefined
    const question = this.#questions.take(JSON.stringify(message['id']))
    if (question === undefined) return current.generation === 1 ? undefined : 'late'
    const body = Buffer.from(JSON.stringify({ ...message, id: JSON.parse(question.id) as unknown }))
    return { child: question.link, body }
  }

  /** Its connection ended without an answer. Where the version has ended, too, `lost` takes care of it. */
  #broken(exchange: Exchange, child: HttpChild): void {
    if (exchange.child !== child || exchange.isOver) return
    exchange.upstream = undefined
    if (child.state === 'gone') return
    exchange.timer = setTimeout(() => this.#fail(exchange, 'exited'), 1_000)
  }

  // Between versions

  #of(child: HttpChild | undefined): Exchange[] {
    return [...this.#exchanges].filter((exchange) => exchange.child === child && !exchange.isOver)
  }

  /** A stream that stays open gets its next events from another version. */
  #reopen(exchange: Exchange, next: HttpChild): void {
    const before = exchange.upstream
    exchange.child = undefined
    before?.destroy()
    exchange.isRepeated = exchange.isStreaming
    this.#forward(exchange, next)
  }

  async #drain(child: HttpChild): Promise<void> {
    const end = performance.now() + this.#options.drainMs
    while (performance.now() < end && this.#of(child).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  #handOver(child: HttpChild, reason: Reason): void {
    child.state = 'gone'
    const taken = this.#questions.dropAll(child)
    for (const exchange of this.#of(child)) {
      for (const shown of taken) this.#tellOf(exchange, shown)
      const canRepeat = exchange.isLasting || [...exchange.open.values()].every((request) => this.#mayRepeat(request))
      if (!canRepeat) this.#fail(exchange, reason)
      else if (this.#current !== undefined) this.#reopen(exchange, this.#current)
      else {
        exchange.child = undefined
        exchange.isRepeated = exchange.isStreaming
        this.#wait(exchange)
      }
    }
  }

  #mayRepeat({ method, params }: { method: string; params: Params }): boolean {
    return method === 'tools/call' ? mayRepeat(this.#lists, params['name']) : true
  }

  /** A question whose asker has gone is taken back. */
  #tellOf(exchange: Exchange, shown: string): void {
    if (!exchange.isStreaming || exchange.session === undefined) return
    const params = { requestId: JSON.parse(shown) as unknown, reason: 'The server was reloaded' }
    exchange.response.write(messageEvent(notification('notifications/cancelled', params)))
  }

  #fail(exchange: Exchange, reason: Reason): void {
    clearTimeout(exchange.timer)
    const upstream = exchange.upstream
    exchange.child = undefined
    const { response, messages } = exchange
    const answers = [...exchange.open.keys()].map((id) => failure(id, reason))
    if (exchange.isStreaming) {
      for (const answer of answers) response.write(messageEvent(answer))
      response.end()
    } else if (!response.headersSent) {
      const body = Array.isArray(readBody(exchange)) ? answers : answers[0]
      const isAnswered = answers.length > 0
      response.writeHead(isAnswered ? 200 : 503, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isAnswered ? body : { error: reason, messages: messages.length }))
    }
    for (const [index, id] of [...exchange.open.keys()].entries()) this.#report(exchange, id, answers[index])
    this.#exchanges.delete(exchange)
    upstream?.destroy()
  }

  #announce(methods: readonly string[]): void {
    for (const method of methods) {
      const [, capability = ''] = method.split('/')
      for (const exchange of this.#exchanges) {
        if (!exchange.isStreaming) continue
        if (exchange.isSessionStream && exchange.session?.announces(capability) === true) {
          exchange.response.write(messageEvent(notification(method)))
        }
        if (exchange.isListen && exchange.granted?.[filterMember(method)] === true) {
          const [id = 'null'] = exchange.open.keys()
          const _meta = { 'io.modelcontextprotocol/subscriptionId': JSON.parse(id) as unknown }
          exchange.response.write(messageEvent(notification(method, { _meta })))
        }
      }
    }
  }

  // Bookkeeping

  #openSession(id: string, exchange: Exchange, child: HttpChild, result: unknown): void {
    const { request, body } = exchange
    const sent = { method: 'POST', path: request.url ?? '/', headers: withoutConnection(request.headers), body }
    const session = new LegacySession(id, child, sent)
    session.answered(result)
    this.#sessions.set(id, session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest)
  }

  #report(exchange: Exchange, id: string, answer: Params | undefined): void {
    const request = exchange.open.get(id)
    exchange.open.delete(id)
    if (request === undefined || !PRINTED_METHODS.has(request.method)) return
    this.#options.onCall({
      name: nameOfCall(request.method, request.params),
      ms: performance.now() - exchange.startedAt,
      error: describeAnswer(answer),
    })
  }
}

function readMessages(body: Buffer): Params[] {
  const message = readMessage(body)
  return message === undefined ? readBatch(body) : [message]
}

function readBody({ body }: Exchange): unknown {
  return body?.toString().trimStart().startsWith('[') === true ? [] : undefined
}
