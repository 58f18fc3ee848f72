// A client on the standard streams, and behind it one version of the server after the other. Lines pass as they are.
import type { Readable, Writable } from 'node:stream'
import { createDeferred } from '../../terminal/primitives.ts'
import type { Front, FrontOptions, Listed, Prepared, Swap } from '../front.ts'
import type { ServerChild } from '../server-child.ts'
import { type Envelope, readEnvelope, replaceId } from './envelope.ts'
import { finishedCall, nameOfCall, PRINTED_METHODS } from './finished-call.ts'
import { Handshake } from './handshake.ts'
import { LineSplitter } from './lines.ts'
import { Link, MAX_LINE_BYTES } from './link.ts'
import { Listens, listenResult, taggedParams } from './listens.ts'
import { changeNotifications, compareLists, differingLists, filterMember, type Lists, mayRepeat } from './lists.ts'
import { failure, notification, type Reason, readBatch, readParams, toLine } from './messages.ts'
import { batchRequests, type OpenRequest, OpenRequests } from './open-requests.ts'
import { Questions } from './questions.ts'

/** How long a request waits for a server that does not run. */
const WAIT_MS = 10_000
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const LISTS_MS = 2_000

/** Of a version that finishes what it has, the client gets these notifications alone. */
const OF_CALLS = new Set(['notifications/progress', 'notifications/message'])

export interface StdioFrontOptions extends FrontOptions {
  input: Readable
  output: Writable
}

interface PreparedLink extends Prepared {
  link: Link
}

export class StdioFront implements Front {
  readonly #options: StdioFrontOptions
  readonly #handshake = new Handshake()
  readonly #requests = new OpenRequests()
  readonly #questions = new Questions<Link>()
  readonly #listens = new Listens()
  readonly #ended = createDeferred<void>()
  /** Versions that may still send something. */
  readonly #links = new Set<Link>()
  #current: Link | undefined
  #lists: Lists | undefined
  /** Notifications of the client while no server runs; its requests are in the table. */
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #reason: Reason = 'not-loaded'

  constructor(options: StdioFrontOptions) {
    this.#options = options
    const { input, output } = options
    const splitter = new LineSplitter(
      { line: (line) => this.#fromClient(line), part: (part) => this.#send(this.#current, part) },
      MAX_LINE_BYTES,
    )
    input.on('data', (chunk: Buffer) => splitter.push(chunk))
    input.once('end', () => void this.#finishRequests())
    for (const event of ['close', 'error']) {
      input.once(event, () => void (input.readableEnded || this.#ended.resolve()))
    }
    output.on('error', () => this.#ended.resolve())
  }

  /** A client that sends nothing more may still read: what it has asked for is answered, as `mcpwire run` does. */
  async #finishRequests(): Promise<void> {
    await this.#requests.drain(({ id }) => !this.#listens.has(id), WAIT_MS)
    this.#ended.resolve()
  }

  get ended(): Promise<void> {
    return this.#ended.promise
  }

  async prepare(child: ServerChild): Promise<PreparedLink> {
    const link = new Link(child, {
      line: (from, line) => this.#fromServer(from, line),
      part: (from, part) => void (from === this.#current && this.#write(part)),
    })
    this.#links.add(link)
    void child.exited.then(() => this.#links.delete(link))
    const present = this.#current
    const before = present && this.#handshake.fetchLists(present, LISTS_MS)
    await child.ready
    const warnings = await this.#handshake.replay(link)
    this.#lists = (await before) ?? this.#lists
    return { child, link, warnings }
  }

  swap({ link, child }: PreparedLink): Swap {
    const before = this.#current
    this.#current = link
    link.state = 'serving'
    // One that came while no server ran is among what waits.
    const repeated = this.#listens.repeat().filter((line) => !this.#waiting.includes(line))
    for (const line of repeated) this.#send(link, line)
    if (before !== undefined) {
      this.#moveAtOnce(before, link)
      before.state = 'draining'
    }
    this.#sendWaiting(link)
    return { listed: this.#listNew(link, child.generation > 1), handedOver: this.#finish(before) }
  }

  async #finish(before: Link | undefined): Promise<void> {
    if (before === undefined) return
    await this.#requests.drain(({ link }) => link === before, this.#options.drainMs)
    this.#handOver(before, 'reloaded')
  }

  async #listNew(link: Link, isReload: boolean): Promise<Listed> {
    const before = this.#lists
    const lists = await this.#handshake.fetchLists(link, LISTS_MS)
    if (link !== this.#current) return { lists, changes: undefined }
    this.#lists = lists ?? before
    if (isReload) this.#announce(changeNotifications(differingLists(before, lists)))
    return { lists, changes: before && lists && compareLists(before, lists) }
  }

  lost(child: ServerChild): void {
    const link = [...this.#links].find((candidate) => candidate.child === child) ?? this.#current
    if (link?.child !== child) return
    if (link === this.#current) this.#current = undefined
    this.#reason = 'exited'
    this.#handOver(link, 'exited')
  }

  async close(): Promise<void> {
    this.#options.input.pause()
    this.#current = undefined
    // What was written must reach the client before this process ends.
    const { output } = this.#options
    if (output.writable) await new Promise((resolve) => output.write('', resolve))
  }

  // From the client

  #fromClient(line: Buffer): void {
    const envelope = readEnvelope(line)
    switch (envelope.kind) {
      case 'request':
        this.#request(envelope, line)
        break
      case 'notification':
        this.#notification(envelope.method ?? '', line)
        break
      case 'response':
        this.#answer(envelope, line)
        break
      case 'batch':
        this.#batch(line)
        break
      default:
        this.#send(this.#current, line)
        break
    }
  }

  #request({ id = '', method = '' }: Envelope, line: Buffer): void {
    this.#handshake.note(method, line, true)
    if (method === 'subscriptions/listen') this.#listens.add(id, line)
    const params = PRINTED_METHODS.has(method) ? readParams(line) : {}
    const request = this.#requests.add({
      id,
      method,
      line,
      name: nameOfCall(method, params),
      tool: method === 'tools/call' ? String(params['name']) : undefined,
      startedAt: performance.now(),
      link: this.#current,
    })
    this.#sendRequest(request, line)
  }

  #sendRequest(request: OpenRequest, line: Buffer): void {
    if (this.#current === undefined) request.timer = setTimeout(() => this.#fail(request, this.#reason), WAIT_MS)
    this.#send(this.#current, line)
  }

  #notification(method: string, line: Buffer): void {
    this.#handshake.note(method, line, false)
    if (method === 'notifications/cancelled') this.#cancelled(line)
    else this.#send(this.#current, line)
    if (method === 'notifications/progress') {
      for (const link of this.#links) if (link.state === 'draining') this.#send(link, line)
    }
  }

  /** To the version that has the request. Nobody waits for an answer any more. */
  #cancelled(line: Buffer): void {
    const id = JSON.stringify(readParams(line)['requestId'] ?? null)
    this.#listens.end(id)
    const request = this.#requests.settle(id)
    if (request !== undefined && request.link === undefined) {
      this.#waiting = this.#waiting.filter((held) => held !== request.line)
      return
    }
    this.#send(request?.link ?? this.#current, line)
  }

  /** To the version that has asked. */
  #answer(envelope: Envelope, line: Buffer): void {
    const question = this.#questions.take(envelope.id ?? '')
    if (question !== undefined) this.#send(question.link, replaceId(line, envelope, question.id))
  }

  #batch(line: Buffer): void {
    for (const request of batchRequests(line)) this.#requests.add({ ...request, link: this.#current })
    this.#send(this.#current, line)
  }

  // From a server

  #fromServer(link: Link, line: Buffer): void {
    const envelope = readEnvelope(line)
    if (link.state === 'gone' || link.takesAnswer(envelope, line)) return
    switch (envelope.kind) {
      case 'response':
        this.#answered(link, envelope, line)
        break
      case 'request':
        this.#write(replaceId(line, envelope, this.#questions.add(link, envelope.id ?? '')))
        break
      case 'notification':
        this.#notified(link, envelope.method ?? '', line)
        break
      case 'batch':
        for (const { id } of readBatch(line)) this.#requests.settle(JSON.stringify(id))
        this.#write(line)
        break
      default:
        if (link.state === 'serving') this.#write(line)
    }
  }

  #answered(link: Link, { id = '' }: Envelope, line: Buffer): void {
    const request = this.#requests.get(id)
    if (request === undefined) {
      // It answers what passed through unread, or what was cancelled.
      if (link.state === 'serving') this.#write(line)
      return
    }
    if (request.link !== link) return
    this.#requests.settle(id)
    this.#listens.end(id)
    if (request.method === 'initialize') this.#handshake.answered(line)
    this.#write(line)
    this.#report(request, line)
    if (this.#lists === undefined) void this.#learnLists(link)
  }

  /** Once the client has said who it is: to know which calls may run twice, and to notice what the next version changes. */
  async #learnLists(link: Link): Promise<void> {
    this.#lists = EMPTY_LISTS
    const lists = await this.#handshake.fetchLists(link, LISTS_MS)
    if (this.#lists === EMPTY_LISTS) this.#lists = lists
  }

  #notified(link: Link, method: string, line: Buffer): void {
    if (method === 'notifications/cancelled') this.#gaveUp(link, line)
    else if (method === 'notifications/subscriptions/acknowledged') this.#acknowledged(link, line)
    else if (link.state === 'serving' || OF_CALLS.has(method)) this.#write(line)
  }

  /** The server has given up on a question, or ends a subscription. */
  #gaveUp(link: Link, line: Buffer): void {
    const params = readParams(line)
    const id = JSON.stringify(params['requestId'] ?? null)
    if (this.#listens.has(id)) {
      if (link === this.#current) this.#write(line)
      return
    }
    const shown = this.#questions.drop(link, id)
    this.#write(toLine(notification('notifications/cancelled', { ...params, requestId: JSON.parse(shown) as unknown })))
  }

  #acknowledged(link: Link, line: Buffer): void {
    if (link !== this.#current) return
    const verdict = this.#listens.acknowledge(readParams(line))
    if (verdict === 'forward') this.#write(line)
    if (typeof verdict === 'string') return
    this.#listens.end(verdict.endOf)
    this.#requests.settle(verdict.endOf)
    this.#send(
      link,
      toLine(notification('notifications/cancelled', { requestId: JSON.parse(verdict.endOf) as unknown })),
    )
    this.#write(toLine(listenResult(verdict.endOf)))
  }

  // Between versions

  /** Subscriptions have been sent to the next version; a handshake that is not over begins anew there. */
  #moveAtOnce(before: Link, link: Link): void {
    for (const request of this.#requests.of(before)) {
      const isHandshake = request.method === 'initialize' && request.line !== undefined
      if (isHandshake) this.#send(link, request.line as Buffer)
      if (isHandshake || this.#listens.has(request.id)) request.link = link
    }
  }

  /** What a version leaves behind: its requests go to the present one or fail, its questions are taken back. */
  #handOver(link: Link, reason: Reason): void {
    link.state = 'gone'
    for (const shown of this.#questions.dropAll(link)) {
      const params = { requestId: JSON.parse(shown) as unknown, reason: 'The server was reloaded' }
      this.#write(toLine(notification('notifications/cancelled', params)))
    }
    for (const request of this.#requests.of(link)) {
      if (this.#listens.has(request.id)) request.link = this.#current
      else if (request.line !== undefined && this.#mayRepeat(request)) {
        request.link = this.#current
        this.#sendRequest(request, request.line)
      } else {
        link.send(toLine(notification('notifications/cancelled', { requestId: JSON.parse(request.id) as unknown })))
        this.#fail(request, reason)
      }
    }
  }

  /** Of all requests only calls of tools do something. */
  #mayRepeat({ method, tool }: OpenRequest): boolean {
    return method === 'tools/call' ? mayRepeat(this.#lists, tool) : method !== 'unknown'
  }

  #fail(request: OpenRequest, reason: Reason): void {
    this.#requests.settle(request.id)
    this.#waiting = this.#waiting.filter((held) => held !== request.line)
    const answer = failure(request.id, reason)
    this.#write(toLine(answer))
    this.#report(request, toLine(answer))
  }

  #announce(methods: readonly string[]): void {
    for (const method of methods) {
      if (this.#handshake.isLegacy) {
        const [, capability = ''] = method.split('/')
        if (this.#handshake.announces(capability)) this.#write(toLine(notification(method)))
      }
      for (const id of this.#listens.granted(filterMember(method))) {
        this.#write(toLine(notification(method, taggedParams(id))))
      }
    }
  }

  // Streams

  #hold(line: Buffer): void {
    this.#waiting.push(line)
    this.#waitingBytes += line.length
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#options.input.pause()
  }

  #sendWaiting(link: Link): void {
    for (const request of this.#requests.of(undefined)) {
      clearTimeout(request.timer)
      request.link = link
    }
    const [lines, wasFull] = [this.#waiting, this.#waitingBytes > MAX_WAITING_BYTES]
    this.#waiting = []
    this.#waitingBytes = 0
    for (const line of lines) this.#send(link, line)
    if (wasFull) this.#options.input.resume()
  }

  #send(link: Link | undefined, line: Buffer): void {
    if (link === undefined) this.#hold(line)
    if (link === undefined || link.send(line)) return
    const { input } = this.#options
    input.pause()
    void link.drained().then(() => input.resume())
  }

  #write(line: Buffer): void {
    const { output } = this.#options
    if (!output.writable || output.write(line)) return
    const paused = [...this.#links].map(({ child }) => child.pipe)
    for (const pipe of paused) pipe.pause()
    output.once('drain', () => {
      for (const pipe of paused) pipe.resume()
    })
  }

  #report(request: OpenRequest, line: Buffer): void {
    const call = finishedCall(request, line)
    if (call !== undefined) this.#options.onCall(call)
  }
}

const EMPTY_LISTS: Lists = Object.freeze({ tools: [], resources: [], templates: [], prompts: [] })
