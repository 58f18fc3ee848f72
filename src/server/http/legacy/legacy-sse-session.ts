// One client of HTTP+SSE: it lasts exactly as long as its stream.
import type { Channel, Receiver } from '../../../dispatcher/channel.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import { connectionClosed } from '../../../dispatcher/error-policy.ts'
import type { EventSink, HttpExchange } from '../../../http/exchange.ts'
import { createDeferred, type Deferred } from '../../../primitives/async/deferred.ts'
import type { JSONRPCBatch, JSONRPCMessage, RequestId } from '../../../types/protocol/jsonrpc.ts'
import { hasBatches } from '../../../wire/revision-facts.ts'
import { type ServedLegacyClient, serveLegacy } from '../../serve.ts'
import type { Server } from '../../server.ts'
import { HttpTransport } from '../answers/http-transport.ts'
import { isSamePrincipal, type Principal } from '../guards/principal.ts'
import { createRandomToken } from '../guards/random-token.ts'

export class LegacySseSession {
  readonly id = createRandomToken()
  readonly #principal: Principal
  readonly #channel: SinkChannel
  readonly #client: ServedLegacyClient

  constructor(server: Server, sink: EventSink, principal: Principal, maxQueuedBytes: number) {
    this.#principal = principal
    this.#channel = new SinkChannel(sink, maxQueuedBytes)
    this.#client = serveLegacy(server, this.#channel)
  }

  isOwnedBy(principal: Principal): boolean {
    return isSamePrincipal(this.#principal, principal)
  }

  get acceptsBatches(): boolean {
    return hasBatches(this.#client.connection.protocolVersion)
  }

  get ended(): Promise<void> {
    return this.#client.served.ended
  }

  /** Accepts a message. What it returns resolves when the requests in it have been answered, on the stream. */
  receive(exchange: HttpExchange, message: unknown, ids: readonly RequestId[]): Promise<void> | undefined {
    exchange.reply(202, 'Accepted', { 'content-type': 'text/plain' })
    return this.#channel.receive(exchange, message, ids)
  }

  close(): Promise<void> {
    return this.#client.served.close()
  }
}

class SinkChannel implements Channel {
  readonly #sink: EventSink
  readonly #maxQueuedBytes: number
  /** Requests that wait for their answers. */
  readonly #open = new Map<RequestId, Deferred<void>>()
  #receiver: Receiver | undefined
  #isClosed = false

  constructor(sink: EventSink, maxQueuedBytes: number) {
    this.#sink = sink
    this.#maxQueuedBytes = maxQueuedBytes
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver
  }

  receive(exchange: HttpExchange, message: unknown, ids: readonly RequestId[]): Promise<void> | undefined {
    const done = createDeferred()
    const [id] = ids
    // Those of a batch are answered at once, so that one of them stands for all.
    const isNew = id !== undefined && !this.#open.has(id)
    if (isNew) this.#open.set(id, done)
    const transport = new HttpTransport(exchange, { kind: 'sse', canSendRequest: true })
    void this.#receiver?.message(message, { transport, onUnanswered: () => this.#settle(id) })
    return isNew ? done.promise : undefined
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    if (this.#isClosed) return Promise.reject(connectionClosed())
    const data = encodeMessage(message)
    // Before it is sent: a message alone may well be larger than what may wait.
    if (this.#sink.queuedBytes > this.#maxQueuedBytes) {
      this.#sink.destroy()
      this.#receiver?.closed(new Error('the client does not read its stream'))
      return undefined
    }
    const reading = this.#sink.send({ event: 'message', data })
    for (const one of Array.isArray(message) ? message : [message]) if (!('method' in one)) this.#settle(one.id)
    return reading
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#sink.close()
    for (const key of this.#open.keys()) this.#settle(key)
    this.#receiver?.closed()
  }

  #settle(id: RequestId | null | undefined): void {
    if (id === undefined || id === null) return
    this.#open.get(id)?.resolve()
    this.#open.delete(id)
  }
}
