// A channel over two streams of this process: the server's end of stdio.
import type { Readable } from 'node:stream'
import type { Channel, Receiver } from '../../dispatcher/channel.ts'
import { PROGRESS } from '../../dispatcher/context.ts'
import { type MessageLimits, SERVER_LIMITS } from '../../dispatcher/decode.ts'
import { encodeLinePieces } from '../../dispatcher/encode.ts'
import { encodeLine, NdjsonReader } from '../../dispatcher/ndjson.ts'
import type { MessageIdentity } from '../../dispatcher/unreadable.ts'
import { createRejection } from '../../dispatcher/unreadable.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../../types/protocol/jsonrpc.ts'
import { NODE_BYTES } from './byte-tools.ts'
import { type LinePipe, LineWriter } from './line-writer.ts'
import { PipeReader } from './pipe-reader.ts'

type Message = JSONRPCMessage | JSONRPCBatch

const FLUSH_MS = 2_000

/** More than the handlers that can run at once. Beyond this, responses are not held back for a client that does not read. */
const MAX_WAITING_RESPONSES = 1_024

/** Encoding and writing this much takes a few milliseconds. Further responses wait for the next turn of the event loop. */
const MAX_TURN_LENGTH = 1024 * 1024

const HINTS = Object.freeze({ transport: Object.freeze({ kind: 'stdio', canSendRequest: true, writesResults: true }) })

export function createServerChannel(
  input: Readable,
  output: LinePipe,
  maxBytes = SERVER_LIMITS.maxBytes,
): StreamChannel {
  return new StreamChannel(input, output, { ...SERVER_LIMITS, maxBytes })
}

export class StreamChannel implements Channel {
  readonly #input: PipeReader
  readonly #writer: LineWriter
  readonly #limits: MessageLimits
  readonly #overflow = createDeferred<Error>()
  readonly #turns = new ResponseTurns((message) => this.#write(message))
  #failure: Error | undefined
  #waitingForPipe = 0
  /** Whether progress was sent since the last response. */
  #hasSentProgress = false
  #closing: Promise<void> | undefined

  constructor(input: Readable, output: LinePipe, limits: MessageLimits = SERVER_LIMITS) {
    this.#input = new PipeReader(input)
    this.#writer = new LineWriter(output, { onOverflow: this.#overflow.resolve })
    this.#limits = limits
  }

  /** Why the connection failed, where the server's own program should know. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** Resolves when the client sends nothing more. Requests that it sent before may still be answered. */
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
      onUnreadable: (problem, ends) => this.#rejectUnreadable(problem, ends),
    })
    this.#input.start((chunk) => reader.feed(chunk))
    void this.#input.ended.then(() => reader.end())
    // A client that does not read must not fill our memory; and after one dropped message the rest would mislead it.
    void Promise.race([this.#writer.broken, this.#overflow.promise]).then((cause) => {
      const error = new TransportError('the client no longer reads', { cause })
      this.#writer.fail(error)
      receiver.closed(error)
    })
  }

  send(message: Message): Promise<void> | undefined {
    return this.#turns.isFull && isResponse(message) ? this.#turns.wait(message) : this.#write(message)
  }

  close(): Promise<void> {
    this.#closing ??= this.#flush()
    return this.#closing
  }

  #write(message: Message): Promise<void> | undefined {
    this.#separateFromProgress(message)
    const line = this.#writer.hasRoom ? encodeLinePieces(message) : encodeLine(message)
    if (typeof line !== 'string') {
      this.#turns.count(line.body.length)
      return this.#writer.writePieces(line)
    }
    this.#turns.count(line.length)
    const mayWait = isResponse(message) && this.#waitingForPipe < MAX_WAITING_RESPONSES
    return mayWait && !this.#writer.fits(line) ? this.#writeWhenItFits(line) : this.#writer.write(line)
  }

  /** Some clients that read progress and its result in one chunk handle the result first, and then drop the progress. */
  #separateFromProgress(message: Message): void {
    if ('method' in message) {
      this.#hasSentProgress ||= message.method === PROGRESS
    } else if (this.#hasSentProgress) {
      this.#hasSentProgress = false
      this.#writer.separate()
    }
  }

  /** The response waits for the pipe, and its handler counts as running meanwhile. */
  async #writeWhenItFits(line: string): Promise<void> {
    this.#waitingForPipe += 1
    try {
      while (!this.#writer.fits(line)) await this.#writer.drained()
    } finally {
      this.#waitingForPipe -= 1
    }
    await this.#writer.write(line)
  }

  /** JSON-RPC: a line that can't be read gets an error response too, with a null id if its id is unknown. */
  #rejectUnreadable(problem: Error, ends: MessageIdentity): void {
    const response = createRejection(problem, ends)
    if (response !== undefined) void this.send(response)?.catch(() => {})
  }

  async #flush(): Promise<void> {
    this.#input.discard()
    this.#turns.writeAll()
    await settlesWithin(this.#writer.end(), FLUSH_MS)
    this.#writer.fail(new TransportError('the connection is closed'))
  }
}

function isResponse(message: Message): boolean {
  return !('method' in message)
}

interface WaitingResponse extends Deferred<void> {
  readonly message: Message
}

/** Spreads large responses over turns of the event loop, so that a client that asks for many doesn't stop everything else. */
class ResponseTurns {
  readonly #write: (message: Message) => Promise<void> | undefined
  readonly #waiting: WaitingResponse[] = []
  /** Since the last turn that was full; small responses never start a timer. */
  #length = 0
  #isFull = false

  constructor(write: (message: Message) => Promise<void> | undefined) {
    this.#write = write
  }

  /** Whether responses wait for another turn. */
  get isFull(): boolean {
    return this.#isFull && this.#waiting.length < MAX_WAITING_RESPONSES
  }

  count(length: number): void {
    this.#length += length
    if (this.#isFull || this.#length < MAX_TURN_LENGTH) return
    this.#isFull = true
    setImmediate(this.#startTurn)
  }

  /** Resolves when the response was written. */
  wait(message: Message): Promise<void> {
    const waiting = { ...createDeferred(), message }
    this.#waiting.push(waiting)
    return waiting.promise
  }

  /** Without waiting for further turns: the connection ends. */
  writeAll(): void {
    while (this.#waiting.length > 0) this.#writeNext()
  }

  readonly #startTurn = (): void => {
    this.#isFull = false
    this.#length = 0
    while (this.#waiting.length > 0 && !this.#isFull) this.#writeNext()
  }

  #writeNext(): void {
    const next = this.#waiting.shift()
    if (next === undefined) return
    try {
      next.resolve(this.#write(next.message))
    } catch (error) {
      next.reject(error)
    }
  }
}
