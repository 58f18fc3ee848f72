// A channel over the standard streams of a child process: lines in, lines out, and an honest account of its end.
import type { Channel, Receiver } from '../dispatcher/channel.ts'
import type { MessageLimits } from '../dispatcher/decode.ts'
import { type EncodingErrors, encodeLine, NdjsonReader } from '../dispatcher/ndjson.ts'
import { createDeferred } from '../primitives/deferred.ts'
import { settlesWithin } from '../primitives/timer.ts'
import { TransportError } from '../types/failures.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../types/jsonrpc.ts'
import { NODE_BYTES } from './byte-tools.ts'
import type { Child } from './child-process.ts'
import { type EndSign, endFailure } from './child-report.ts'
import { ChildStderr, type StderrOption } from './child-stderr.ts'
import { LineWriter } from './line-writer.ts'
import { PipeReader } from './pipe-reader.ts'
import { endChild, type ShutdownTimes, totalOf } from './shutdown.ts'

export interface ChildChannelOptions {
  readonly command: string
  readonly limits: MessageLimits
  readonly encodingErrors: EncodingErrors
  readonly stderr: StderrOption
  readonly shutdown: ShutdownTimes
}

interface FirstSign {
  readonly sign: EndSign
  readonly cause?: unknown
}

const HINTS = Object.freeze({ transport: Object.freeze({ kind: 'stdio', canSendRequest: true }) })

/** A process that dies closes its pipes first, and the system tells of its exit only after that. */
const EXIT_FOLLOWS_MS = 500
const STREAMS_CLOSE_MS = 1_000
/** No less than it takes to read the rest of a pipe that somebody else holds open. */
const LAST_WORDS_MS = 2_500

export class ChildChannel implements Channel {
  readonly #child: Child
  readonly #options: ChildChannelOptions
  readonly #output: PipeReader
  readonly #input: LineWriter
  readonly #stderr: ChildStderr
  readonly #hopeless = createDeferred<Error>()
  #receiver: Receiver | undefined
  #reader: NdjsonReader | undefined
  #closing: Promise<void> | undefined
  /** Why nothing can be sent any more. */
  #refusal: TransportError | undefined
  #isClosedTold = false
  #hasSpoken = false
  #hasBabbled = false

  constructor(child: Child, options: ChildChannelOptions) {
    this.#child = child
    this.#options = options
    this.#output = new PipeReader(child.process.stdout)
    this.#input = new LineWriter(child.process.stdin)
    this.#stderr = new ChildStderr(child.process.stderr, options.stderr, (error) => {
      this.#receiver?.fault({ kind: 'callback-failed', message: 'The function for lines of stderr threw', error })
    })
  }

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw new Error('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = receiver
    if (this.#closing !== undefined) {
      this.#tellClosed()
      return
    }
    const reader = this.#createReader(receiver)
    this.#reader = reader
    this.#output.start((chunk) => reader.feed(chunk))
    void this.#awaitEnd(reader)
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const line = encodeLine(message)
    return this.#refusal === undefined ? this.#input.write(line) : Promise.reject(this.#refusal)
  }

  /** The whole ladder of the shutdown, and the last words after it. */
  get closeMs(): number {
    return totalOf(this.#options.shutdown) + LAST_WORDS_MS + STREAMS_CLOSE_MS
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  #createReader(receiver: Receiver): NdjsonReader {
    const { limits, encodingErrors } = this.#options
    const listener: Receiver = {
      message: (message, hints) => {
        this.#hasSpoken = true
        return receiver.message(message, hints)
      },
      lost: (id, reason) => receiver.lost(id, reason),
      fault: (fault) => receiver.fault(fault),
      closed: (reason) => receiver.closed(reason),
    }
    return new NdjsonReader(listener, {
      limits,
      encodingErrors,
      tools: NODE_BYTES,
      hints: HINTS,
      onHopeless: (reason) => this.#hopeless.resolve(reason),
      onUnreadable: () => {
        this.#hasBabbled = true
      },
    })
  }

  /** Waits for the first sign of an end that nobody asked for, learns what it can about it, and says so. */
  async #awaitEnd(reader: NdjsonReader): Promise<void> {
    const first = await this.#firstSign()
    if (first.sign !== 'hopeless') await this.#learnMore()
    if (this.#closing !== undefined) return
    reader.end()
    this.#refusal = this.#describeEnd(first)
    this.#tellClosed(this.#refusal)
    this.#input.fail(this.#refusal)
    await this.close()
  }

  #firstSign(): Promise<FirstSign> {
    return Promise.race([
      this.#child.exited.then((): FirstSign => ({ sign: 'exited' })),
      this.#output.ended.then((): FirstSign => ({ sign: 'output-closed' })),
      this.#input.broken.then((cause): FirstSign => ({ sign: 'input-closed', cause })),
      this.#hopeless.promise.then((cause): FirstSign => ({ sign: 'hopeless', cause })),
    ])
  }

  /** How it exited, what it answered before that, and its last words. */
  async #learnMore(): Promise<void> {
    const hasExited = await settlesWithin(this.#child.exited, EXIT_FOLLOWS_MS)
    if (hasExited) await Promise.all([this.#output.readRest(), this.#stderr.readRest()])
  }

  #describeEnd({ sign, cause }: FirstSign): TransportError {
    return endFailure({
      command: this.#options.command,
      sign,
      cause,
      exit: this.#child.exit,
      hasSpoken: this.#hasSpoken,
      hasBabbled: this.#hasBabbled,
      stderr: this.#stderr.lastLines(),
    })
  }

  async #shutDown(): Promise<void> {
    this.#refusal ??= new TransportError(`The connection to the server process '${this.#options.command}' was closed`)
    // Nobody waits for answers any more, but a child that cannot write them cannot leave.
    this.#reader?.stop()
    this.#output.discard()
    const isGone = await endChild(this.#child, this.#input, this.#options.shutdown)
    this.#input.fail(this.#refusal)
    if (isGone) await this.#stderr.readRest()
    else this.#reportSurvivor()
    this.#child.release()
    if (isGone) await settlesWithin(this.#child.closed, STREAMS_CLOSE_MS)
    this.#tellClosed()
  }

  #reportSurvivor(): void {
    const message = `The server process ${this.#child.group.pid} was killed but is still there; it was left behind`
    this.#receiver?.fault({ kind: 'transport', message })
  }

  #tellClosed(reason?: Error): void {
    if (this.#isClosedTold || this.#receiver === undefined) return
    this.#isClosedTold = true
    this.#receiver.closed(reason)
  }
}
