// A channel over the standard streams of a child process: lines in, lines out, and an honest account of its end.
import type { Channel, ChildStatus, Receiver } from '../../dispatcher/channel.ts'
import type { MessageLimits } from '../../dispatcher/decode.ts'
import { MAX_OUTBOUND_BYTES } from '../../dispatcher/encode.ts'
import type { MessageEnds } from '../../dispatcher/message-ends.ts'
import { type EncodingErrors, encodeLine, excerpt, NdjsonReader } from '../../dispatcher/ndjson.ts'
import { PeerLimit } from '../../dispatcher/peer-limit.ts'
import { refusalOf } from '../../dispatcher/unreadable.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../../types/protocol/jsonrpc.ts'
import type { Child } from '../process/child-process.ts'
import { type EndSign, endFailure } from '../process/child-report.ts'
import { endChild, type ShutdownTimes, totalOf } from '../process/shutdown.ts'
import { NODE_BYTES } from './byte-tools.ts'
import { ChildStderr, type StderrOption } from './child-stderr.ts'
import { LineWriter } from './line-writer.ts'
import { PipeReader } from './pipe-reader.ts'

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

/** From a program that has not said anything else, so many lines that are no JSON show that it is no server. */
const MAX_LINES_OF_BABBLE = 3

/** Calls wait for a server that is slow to read, as many as there are: room for the longest message twice. */
const MAX_QUEUED_BYTES = 2 * MAX_OUTBOUND_BYTES

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
  readonly #lineLimit = new PeerLimit('maxLineBytes')
  readonly #hopeless = createDeferred<FirstSign>()
  #receiver: Receiver | undefined
  #reader: NdjsonReader | undefined
  #closing: Promise<void> | undefined
  /** Why nothing can be sent any more. */
  #refusal: TransportError | undefined
  #isClosedTold = false
  #hasSpoken = false
  #linesOfBabble = 0
  /** What it wrote instead of its first message. */
  readonly #babble: string[] = []

  constructor(child: Child, options: ChildChannelOptions) {
    this.#child = child
    this.#options = options
    this.#output = new PipeReader(child.process.stdout)
    this.#input = new LineWriter(child.process.stdin, { maxQueuedBytes: MAX_QUEUED_BYTES })
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
    const refusal = this.#refusal ?? this.#lineLimit.findBreach(line)
    return refusal === undefined ? this.#input.write(line) : Promise.reject(refusal)
  }

  get childStatus(): ChildStatus {
    const { code, signal } = this.#child.exit ?? {}
    return {
      stderr: this.#stderr.lastLines(),
      ...(this.#babble.length > 0 && { unreadable: [...this.#babble] }),
      ...(code !== undefined && { exitCode: code }),
      ...(signal !== undefined && { signal }),
    }
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
        this.#hasSpoken ||= typeof message === 'object'
        if (isPlainObject(message) && message['error'] !== undefined) this.#lineLimit.note(message['error'])
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
      onHopeless: (cause) => this.#hopeless.resolve({ sign: 'hopeless', cause }),
      onUnreadable: (problem, ends, line) => this.#takeUnreadable(problem, ends, line),
    })
  }

  /** A request of the server waits for an answer, whatever was wrong with it. Anything else was not meant for us. */
  #takeUnreadable(problem: Error, ends: MessageEnds, line: Uint8Array | undefined): void {
    const refusal = ends.id === undefined ? undefined : refusalOf(problem, ends)
    if (refusal !== undefined) void this.send(refusal)?.catch(() => {})
    if (ends.isMessage) return
    this.#linesOfBabble += 1
    if (!this.#hasSpoken && line !== undefined && this.#babble.length < MAX_LINES_OF_BABBLE)
      this.#babble.push(excerpt(line))
    if (this.#isBabbler) this.#hopeless.resolve({ sign: 'babbling' })
  }

  get #isBabbler(): boolean {
    return !this.#hasSpoken && this.#linesOfBabble >= MAX_LINES_OF_BABBLE
  }

  /** Waits for the first sign of an end that nobody asked for, learns what it can about it, and says so. */
  async #awaitEnd(reader: NdjsonReader): Promise<void> {
    const first = await this.#firstSign()
    if (first.sign !== 'hopeless' && first.sign !== 'babbling') await this.#learnMore()
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
      this.#hopeless.promise,
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
      hasBabbled: this.#linesOfBabble > 0,
      stderr: this.#stderr.lastLines(),
    })
  }

  async #shutDown(): Promise<void> {
    this.#refusal ??= new TransportError(`The connection to the server process '${this.#options.command}' was closed`)
    // Nobody waits for answers any more, but a child that cannot write them cannot leave.
    this.#reader?.stop()
    this.#output.discard()
    const { shutdown } = this.#options
    // What is no server has no use for the time that a server gets to finish its calls.
    const isGone = await endChild(this.#child, this.#input, this.#isBabbler ? { ...shutdown, graceMs: 0 } : shutdown)
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
