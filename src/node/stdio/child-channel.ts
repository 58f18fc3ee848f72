// A channel over the standard streams of a child process: one message per line, in and out, and a full account of its end.

import type { Channel, ChildStatus, Receiver } from '../../dispatcher/channel.ts'
import type { MessageLimits } from '../../dispatcher/decode.ts'
import { MAX_OUTBOUND_BYTES } from '../../dispatcher/encode.ts'
import { type EncodingErrors, encodeLine, excerpt, NdjsonReader } from '../../dispatcher/ndjson.ts'
import { PeerLimit } from '../../dispatcher/peer-max-bytes.ts'
import type { MessageIdentity } from '../../dispatcher/unreadable.ts'
import { createRejection } from '../../dispatcher/unreadable.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { orderError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../../types/protocol/jsonrpc.ts'
import type { Child } from '../process/child-process.ts'
import { type EndSign, endFailure } from '../process/child-report.ts'
import { type ChildStreams, endChild, longestShutdownMs } from '../process/end-child.ts'
import type { ShutdownTimes } from '../process/shutdown-times.ts'
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

/** A program whose first lines are this many that are not JSON is not an MCP server. */
const MAX_NON_JSON_LINES = 3

/** Calls wait for a server that reads slowly, in any number: twice the longest message fits. */
const MAX_QUEUED_BYTES = 2 * MAX_OUTBOUND_BYTES

/** A process that dies closes its pipes first; its exit is reported after that. */
const EXIT_FOLLOWS_MS = 500

export class ChildChannel implements Channel {
  readonly #child: Child
  readonly #options: ChildChannelOptions
  readonly #output: PipeReader
  readonly #input: LineWriter
  readonly #stderr: ChildStderr
  readonly #lineLimit = new PeerLimit('maxLineBytes')
  /** The child writes what no server writes. */
  readonly #notServer = createDeferred<FirstSign>()
  #receiver: Receiver | undefined
  #reader: NdjsonReader | undefined
  #closing: Promise<void> | undefined
  /** Why nothing can be sent any more. */
  #sendFailure: TransportError | undefined
  #isCloseReported = false
  #sawMessage = false
  #nonJsonLineCount = 0
  /** Excerpts of the lines that it wrote instead of its first message. */
  readonly #nonJsonLines: string[] = []

  constructor(child: Child, options: ChildChannelOptions) {
    this.#child = child
    this.#options = options
    this.#output = new PipeReader(child.process.stdout)
    this.#input = new LineWriter(child.process.stdin, { maxQueuedBytes: MAX_QUEUED_BYTES })
    this.#stderr = new ChildStderr(child.process.stderr, options.stderr, (error) => {
      this.#receiver?.fault({ kind: 'callback-failed', message: 'The stderr function threw', error })
    })
  }

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw orderError('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = receiver
    if (this.#closing !== undefined) {
      this.#reportClosed()
      return
    }
    const reader = this.#createReader(receiver)
    this.#reader = reader
    this.#output.start((chunk) => reader.feed(chunk))
    void this.#watchForEnd(reader)
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const line = encodeLine(message)
    const failure = this.#sendFailure ?? this.#lineLimit.findBreach(line)
    return failure === undefined ? this.#input.write(line) : Promise.reject(failure)
  }

  get childStatus(): ChildStatus {
    const foreign = this.#foreignText()
    const { code, signal } = this.#child.exit ?? {}
    return {
      stderr: this.#stderr.lastLines(),
      ...(foreign.length > 0 && { unreadable: foreign }),
      ...(code !== undefined && { exitCode: code }),
      ...(signal !== undefined && { signal }),
    }
  }

  /** A prompt has no end of line. */
  #foreignText(): string[] {
    const unfinished = this.#sawMessage ? undefined : this.#reader?.unfinishedText
    return unfinished === undefined || this.#nonJsonLines.length > 0 ? [...this.#nonJsonLines] : [excerpt(unfinished)]
  }

  get closeMs(): number {
    return longestShutdownMs(this.#options.shutdown)
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  #createReader(receiver: Receiver): NdjsonReader {
    const { limits, encodingErrors } = this.#options
    const listener: Receiver = {
      decode: receiver.decode,
      message: (message, hints) => {
        this.#sawMessage ||= typeof message === 'object'
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
      onHopeless: (cause) => this.#notServer.resolve({ sign: 'lines-too-long', cause }),
      onUnreadable: (problem, ends, line) => this.#handleUnreadable(problem, ends, line),
    })
  }

  /** A broken request still gets a response. Any other broken line was not meant for us. */
  #handleUnreadable(problem: Error, ends: MessageIdentity, line: Uint8Array | undefined): void {
    const response = ends.id === undefined ? undefined : createRejection(problem, ends)
    if (response !== undefined) void this.send(response)?.catch(() => {})
    if (ends.isMessage) return
    this.#nonJsonLineCount += 1
    if (!this.#sawMessage && line !== undefined && this.#nonJsonLines.length < MAX_NON_JSON_LINES)
      this.#nonJsonLines.push(excerpt(line))
    if (this.#writesOnlyNonJson) this.#notServer.resolve({ sign: 'not-json' })
  }

  get #writesOnlyNonJson(): boolean {
    return !this.#sawMessage && this.#nonJsonLineCount >= MAX_NON_JSON_LINES
  }

  /** Waits for the child to end by itself, finds out how, and reports it. */
  async #watchForEnd(reader: NdjsonReader): Promise<void> {
    const first = await this.#firstSign()
    if (first.sign !== 'lines-too-long' && first.sign !== 'not-json') await this.#readRemainingOutput()
    if (this.#closing !== undefined) return
    reader.end()
    this.#sendFailure = this.#createEndFailure(first)
    this.#reportClosed(this.#sendFailure)
    this.#input.fail(this.#sendFailure)
    await this.close()
  }

  #firstSign(): Promise<FirstSign> {
    return Promise.race([
      this.#child.exited.then((): FirstSign => ({ sign: 'exited' })),
      this.#output.ended.then((): FirstSign => ({ sign: 'output-closed' })),
      this.#input.broken.then((cause): FirstSign => ({ sign: 'input-closed', cause })),
      this.#notServer.promise,
    ])
  }

  /** What the child sent before it exited, and the last lines of its stderr. */
  async #readRemainingOutput(): Promise<void> {
    const hasExited = await settlesWithin(this.#child.exited, EXIT_FOLLOWS_MS)
    if (hasExited) await Promise.all([this.#output.readRest(), this.#stderr.readRest()])
  }

  #createEndFailure({ sign, cause }: FirstSign): TransportError {
    return endFailure({
      command: this.#options.command,
      sign,
      cause,
      exit: this.#child.exit,
      sawMessage: this.#sawMessage,
      sawNonJsonOutput: this.#nonJsonLineCount > 0,
      stderr: this.#stderr.lastLines(),
    })
  }

  async #shutDown(): Promise<void> {
    const { command, shutdown } = this.#options
    const sendFailure =
      this.#sendFailure ?? new TransportError(`The connection to the server process '${command}' was closed`)
    this.#sendFailure = sendFailure
    this.#reader?.stop()
    const streams: ChildStreams = {
      discardOutput: () => this.#output.discard(),
      closeInput: () => this.#input.end(),
      failInput: () => this.#input.fail(sendFailure),
      readLastStderr: () => this.#stderr.readRest(),
    }
    // A program that is no server has no calls to finish, so it gets no time for them.
    const times = this.#writesOnlyNonJson ? { ...shutdown, graceMs: 0 } : shutdown
    const isGone = await endChild(this.#child, streams, times)
    if (!isGone) this.#reportSurvivor()
    this.#reportClosed()
  }

  #reportSurvivor(): void {
    const message = `The server process ${this.#child.group.pid} still runs after SIGKILL; mcpwire no longer waits for it`
    this.#receiver?.fault({ kind: 'transport', message })
  }

  #reportClosed(reason?: Error): void {
    if (this.#isCloseReported || this.#receiver === undefined) return
    this.#isCloseReported = true
    this.#receiver.closed(reason)
  }
}
