// The legacy era without sessions: each POST is a connection of its own, which speaks the revision its header names.
import type { CloseOptions } from '../../../dispatcher/dispatcher.ts'
import { INTERNAL_ERROR } from '../../../dispatcher/error-policy.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import type { ErrorData } from '../../../types/protocol/jsonrpc.ts'
import { LATEST_LEGACY_VERSION } from '../../../types/protocol/versions.ts'
import { hasBatches } from '../../../wire/revision-facts.ts'
import type { Server } from '../../server.ts'
import { Drain } from '../answers/drain.ts'
import { isInitialize, readPost, requestIdOf } from '../answers/post-content.ts'
import { PostReply, type ReplyOwner } from '../answers/post-reply.ts'
import { refuse, refuseForNow, refuseMethod } from '../answers/refusals.ts'
import { replyError } from '../answers/reply.ts'
import { ServerLease } from '../answers/server-lease.ts'
import { EventStream } from '../streams/event-stream.ts'
import type { HandshakeEndpoint, HandshakeParts } from './legacy.ts'
import { StatelessCalls } from './stateless-calls.ts'

const CLOSING: ErrorData = Object.freeze({ code: ErrorCode.InternalError, message: 'The server is shutting down' })

export class StatelessEndpoint implements HandshakeEndpoint {
  readonly sessionCount = 0
  readonly #server: Server
  readonly #parts: HandshakeParts
  readonly #replies: ReplyOwner
  readonly #lease: ServerLease
  readonly #calls: StatelessCalls
  readonly #drain = new Drain()

  constructor(server: Server, parts: HandshakeParts) {
    this.#server = server
    this.#parts = parts
    this.#calls = new StatelessCalls(server)
    this.#lease = new ServerLease(server)
    this.#replies = {
      mode: parts.mode,
      streamAfterMs: parts.streamAfterMs,
      deadlines: parts.deadlines,
      openStream: () => new EventStream(parts.streams, ''),
      endStream: (stream) => stream.end(),
      canPoll: false,
    }
  }

  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    return this.#drain.track(this.#post(exchange, message))
  }

  async #post(exchange: HttpExchange, message: unknown): Promise<void> {
    const { head } = this.#parts
    if (!head.admitsPost(exchange)) return
    // The handshake settles the revision; a client may still send the header of an earlier try with it.
    const version = isInitialize(message) ? LATEST_LEGACY_VERSION : head.readVersion(exchange)
    if (version === undefined) return
    const content = readPost(message, hasBatches(version))
    if (typeof content === 'string') {
      refuse(exchange, 400, content, requestIdOf(message))
    } else if (this.#drain.isClosing) {
      refuseForNow(exchange, CLOSING.message, content.ids[0])
    } else if (await this.#isRunning(exchange)) {
      const reply = new PostReply(exchange, this.#replies, content, () => {})
      if (content.ids.length > 0) reply.begin()
      const isBroken = new Set(content.broken.map((one) => one.message))
      const messages = (Array.isArray(message) ? message : [message]).filter((one) => !isBroken.has(one))
      reply.refuse(content.broken)
      this.#calls.start(messages, version, reply)
      if (content.ids.length > 0) await reply.waitForAnswer()
      else exchange.reply(202)
    }
  }

  get(exchange: HttpExchange): void {
    refuseMethod(exchange, 'POST')
  }

  delete(exchange: HttpExchange): void {
    refuseMethod(exchange, 'POST')
  }

  close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    return this.#drain.close(drainMs, () => this.#shutDown())
  }

  async #shutDown(): Promise<void> {
    this.#calls.abort(CLOSING)
    this.#parts.streams.heartbeat.close()
    this.#parts.deadlines.clear()
    await this.#lease.giveBack()
  }

  async #isRunning(exchange: HttpExchange): Promise<boolean> {
    try {
      await this.#lease.take()
      return true
    } catch (error) {
      this.#server.faults.report({ kind: 'handler-failed', message: 'The lifespan of the server failed', error })
      replyError(exchange, 500, undefined, INTERNAL_ERROR)
      return false
    }
  }
}
