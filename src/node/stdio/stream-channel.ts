// A channel over two streams of this process: the server's end of stdio.
import type { Readable } from 'node:stream'
import type { Channel, Receiver } from '../../dispatcher/channel.ts'
import { PROGRESS } from '../../dispatcher/context.ts'
import { type MessageLimits, SERVER_LIMITS } from '../../dispatcher/decode.ts'
import { encodeLinePieces } from '../../dispatcher/encode.ts'
import type { MessageEnds } from '../../dispatcher/message-ends.ts'
import { encodeLine, NdjsonReader } from '../../dispatcher/ndjson.ts'
import { refusalOf } from '../../dispatcher/unreadable.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../../types/protocol/jsonrpc.ts'
import { NODE_BYTES } from './byte-tools.ts'
import { type LinePipe, LineWriter } from './line-writer.ts'
import { PipeReader } from './pipe-reader.ts'

const FLUSH_MS = 2_000

/** More than handlers can be at work: whoever is refused again and again and reads none of it is not waited for. */
const MAX_WAITING_ANSWERS = 1_024

const HINTS = Object.freeze({ transport: Object.freeze({ kind: 'stdio', canSendRequest: true, writesResults: true }) })

export class StreamChannel implements Channel {
  readonly #input: PipeReader
  readonly #writer: LineWriter
  readonly #limits: MessageLimits
  readonly #overflow = createDeferred<Error>()
  #failure: Error | undefined
  #waiting = 0
  /** Whether progress was sent since the last answer. */
  #hasReported = false
  #closing: Promise<void> | undefined

  constructor(input: Readable, output: LinePipe, limits: MessageLimits = SERVER_LIMITS) {
    this.#input = new PipeReader(input)
    this.#writer = new LineWriter(output, { onOverflow: this.#overflow.resolve })
    this.#limits = limits
  }

  /** Why the connection could not go on, where that is not for the client to say. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** Settles when the client writes nothing more. What it asked for may still be answered. */
  get inputEnded(): Promise<void> {
    return this.#input.ended
  }

  start(receiver: Receiver): void {
    const reader = new NdjsonReader(receiver, {
      limits: this.#limits,
      tools: NODE_BYTES,
      hints: HINTS,
      onHopeless: (cause) => {
        this.#failure = new TransportError('The client does not write one message per line', { cause })
        receiver.closed(this.#failure)
      },
      onUnreadable: (problem, ends) => this.#refuse(problem, ends),
    })
    this.#input.start((chunk) => reader.feed(chunk))
    void this.#input.ended.then(() => reader.end())
    // Whoever floods a client that does not read has to be stopped, and half a flood would be a lie.
    void Promise.race([this.#writer.broken, this.#overflow.promise]).then((cause) => {
      const error = new TransportError('the client no longer reads', { cause })
      this.#writer.fail(error)
      receiver.closed(error)
    })
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    this.#keepApart(message)
    const line = this.#writer.hasRoom ? encodeLinePieces(message) : encodeLine(message)
    if (typeof line !== 'string') return this.#writer.writePieces(line)
    const mayWait = !('method' in message) && this.#waiting < MAX_WAITING_ANSWERS
    return mayWait && !this.#writer.fits(line) ? this.#writeLater(line) : this.#writer.write(line)
  }

  close(): Promise<void> {
    this.#closing ??= this.#flush()
    return this.#closing
  }

  /** Clients that hear of progress and the end of its call in one read take the end first, and forget whom to tell of progress. */
  #keepApart(message: JSONRPCMessage | JSONRPCBatch): void {
    if ('method' in message) {
      this.#hasReported ||= message.method === PROGRESS
    } else if (this.#hasReported) {
      this.#hasReported = false
      this.#writer.separate()
    }
  }

  /** An answer waits for its turn, and its handler's place stays taken meanwhile. */
  async #writeLater(line: string): Promise<void> {
    this.#waiting += 1
    try {
      while (!this.#writer.fits(line)) await this.#writer.room()
    } finally {
      this.#waiting -= 1
    }
    await this.#writer.write(line)
  }

  /** Spec JSON-RPC: what cannot be read is answered too, without an id where that is not known. */
  #refuse(problem: Error, ends: MessageEnds): void {
    const refusal = refusalOf(problem, ends)
    if (refusal !== undefined) void this.send(refusal)?.catch(() => {})
  }

  async #flush(): Promise<void> {
    this.#input.discard()
    await settlesWithin(this.#writer.end(), FLUSH_MS)
    this.#writer.fail(new TransportError('the connection is closed'))
  }
}
