// One JSON-RPC message per line: the framing of stdio, and of any other stream of bytes.
import { type ByteTools, WEB_BYTES } from '../primitives/byte-tools.ts'
import { type Line, LineSplitter, type OversizeLine } from '../primitives/lines.ts'
import { MCPError } from '../types/errors/errors.ts'
import { LimitError } from '../types/errors/failures.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../types/protocol/jsonrpc.ts'
import type { ReceiveHints, Receiver } from './channel.ts'
import { decodeMessage, LineRun, type MessageLimits } from './decode.ts'
import { encodeMessage } from './encode.ts'
import { identifyMessage, type MessageIdentity, toLostAnswerError } from './unreadable.ts'

/** What to do with bytes that are no UTF-8: refuse the line, put U+FFFD in their place, or leave them out. */
export type EncodingErrors = 'strict' | 'replace' | 'ignore'

export interface NdjsonOptions {
  /** `maxBytes` is the longest line. */
  limits: MessageLimits
  encodingErrors?: EncodingErrors
  /** Those of the runtime, where it has better ones than the language. */
  tools?: ByteTools
  /** Goes along with every message. */
  hints?: ReceiveHints
  /** The peer does not write lines as agreed; whoever owns the stream should end it. */
  onHopeless: (reason: Error) => void
  /** A line that cannot be kept or read, what is wrong with it, and what it was. An answer to us is the receiver's. */
  onUnreadable?: (problem: Error, ends: MessageIdentity, line?: Uint8Array) => void
}

/** After so many lines in one go others get a turn. A chunk of a pipe rarely has more, and a turn costs as much as many lines. */
const LINES_PER_TURN = 1_024
const NEWLINE = 0x0a
const MAX_OVERSIZE_IN_A_ROW = 3
const EXCERPT_LENGTH = 80

export function encodeLine(message: JSONRPCMessage | JSONRPCBatch, maxBytes?: number): string {
  return `${encodeMessage(message, maxBytes)}\n`
}

/** Reads messages from chunks of bytes and passes them to a receiver at the rate that it accepts. */
export class NdjsonReader {
  readonly #receiver: Receiver
  readonly #options: NdjsonOptions
  readonly #tools: ByteTools
  readonly #splitter: LineSplitter
  readonly #lenient: TextDecoder | undefined
  readonly #pieces: (Uint8Array | LineRun)[] = []
  #run: LineRun | undefined
  #isPaused = false
  /** Those that were too long and no messages. */
  #oversizeInARow = 0
  /** Whether the line that is too long has been refused already, while it is still going on. */
  #isRefused = false
  #isStopped = false

  constructor(receiver: Receiver, options: NdjsonOptions) {
    this.#receiver = receiver
    this.#options = options
    this.#tools = options.tools ?? WEB_BYTES
    this.#splitter = new LineSplitter(options.limits.maxBytes, this.#tools)
    this.#lenient = (options.encodingErrors ?? 'strict') === 'strict' ? undefined : new TextDecoder()
  }

  /** A promise in return asks for no more until it resolves. */
  feed(chunk: Uint8Array): Promise<void> | undefined {
    this.#enqueue(chunk)
    return this.#drain()
  }

  /** The stream has ended. Half a line is reported and thrown away. */
  end(): void {
    const rest = this.#splitter.end()
    if (rest !== undefined && !this.#isStopped) this.#fault('The stream ended in the middle of a line', rest)
  }

  /** What has come of a line that goes on, where it is text and no message. */
  get unfinishedText(): Uint8Array | undefined {
    const line = this.#splitter.unfinished
    return line === undefined || beginsLikeJSON(line) ? undefined : line
  }

  /** Reads no more: whoever calls has lost interest. */
  stop(): void {
    this.#isStopped = true
  }

  /** The lines that lie within the chunk as a run; what belongs to lines that do not goes to the splitter. */
  #enqueue(chunk: Uint8Array): void {
    const last = this.#canRun(chunk) ? chunk.lastIndexOf(NEWLINE) : -1
    const isBetweenLines = !this.#isPaused && this.#splitter.unfinishedBytes === 0
    const first = isBetweenLines ? -1 : chunk.indexOf(NEWLINE)
    if (last <= first) {
      this.#pieces.push(chunk)
      return
    }
    if (first !== -1) this.#pieces.push(chunk.subarray(0, first + 1))
    this.#pieces.push(new LineRun(chunk, first + 1, last, this.#tools))
    if (last + 1 < chunk.length) this.#pieces.push(chunk.subarray(last + 1))
  }

  #canRun(chunk: Uint8Array): boolean {
    return (
      this.#receiver.decode === undefined &&
      this.#lenient === undefined &&
      chunk.length <= this.#options.limits.maxBytes
    )
  }

  #drain(): Promise<void> | undefined {
    this.#isPaused = true
    for (let count = 1; !this.#isStopped; count++) {
      const line = this.#next()
      if (line === undefined) break
      const pressure = line instanceof LineRun ? this.#takeFrom(line) : this.#take(line)
      if (pressure !== undefined) return pressure.then(() => this.#drain())
      if (count >= LINES_PER_TURN) return nextTurn().then(() => this.#drain())
    }
    this.#isPaused = false
    return undefined
  }

  #next(): Line | LineRun | undefined {
    for (;;) {
      if (this.#run?.isOver === false) return this.#run
      this.#run = undefined
      const line = this.#splitter.next()
      if (line !== undefined) return line
      const piece = this.#pieces.shift()
      if (piece instanceof LineRun) this.#run = piece
      else if (piece !== undefined) this.#splitter.push(piece)
      else return undefined
    }
  }

  #takeFrom(run: LineRun): Promise<void> | undefined {
    this.#oversizeInARow = 0
    run.advance()
    if (run.isBlank) return undefined
    let message: unknown
    try {
      message = run.parse(this.#options.limits)
    } catch (error) {
      this.#unreadable(error, run.line)
      return undefined
    }
    return this.#receiver.message(message, this.#options.hints)
  }

  #take(line: Line): Promise<void> | undefined {
    if (!(line instanceof Uint8Array)) return this.#takeOversize(line)
    this.#oversizeInARow = 0
    if (isBlank(line)) return undefined
    let message: unknown
    try {
      message = this.#decode(this.#textOf(line))
    } catch (error) {
      this.#unreadable(error, line)
      return undefined
    }
    return this.#receiver.message(message, this.#options.hints)
  }

  #decode(line: Uint8Array | string): unknown {
    const { decode } = this.#receiver
    if (decode === undefined) return decodeMessage(line, this.#options.limits, this.#tools)
    // The memory of a line is used again for others.
    return decode(typeof line === 'string' ? line : new Uint8Array(line), this.#options.limits, this.#tools)
  }

  #textOf(line: Uint8Array): Uint8Array | string {
    if (this.#lenient === undefined) return line
    const text = this.#lenient.decode(line)
    return this.#options.encodingErrors === 'ignore' ? text.replaceAll('\ufffd', '') : text
  }

  /** What is known at once is said at once: the rest of the line may take a while. */
  #takeOversize(line: OversizeLine): undefined {
    const { maxBytes } = this.#options.limits
    const isOver = line.state === 'over'
    const ends = identifyMessage(line.head, isOver ? line.tail : undefined)
    if (!this.#isRefused && (isOver || ends.id !== undefined)) {
      this.#isRefused = true
      const message = `A line was longer than ${maxBytes} bytes and was dropped`
      const error = new LimitError('maxLineBytes', maxBytes, message)
      this.#receiver.fault({ kind: 'transport', message, error })
      this.#refuse(error, ends)
    }
    if (isOver) this.#isRefused = false
    this.#countOversize(line, ends)
    return undefined
  }

  /** A message may have any length. Whoever writes what is none, without end or again and again, knows no lines. */
  #countOversize({ state }: OversizeLine, { isMessage }: MessageIdentity): void {
    if (state === 'over') this.#oversizeInARow = isMessage ? 0 : this.#oversizeInARow + 1
    const isHopeless = state === 'endless' ? !isMessage : this.#oversizeInARow >= MAX_OVERSIZE_IN_A_ROW
    if (!isHopeless) return
    this.stop()
    this.#options.onHopeless(new LimitError('maxLineBytes', this.#options.limits.maxBytes))
  }

  #unreadable(error: unknown, line: Uint8Array): void {
    const problem = error instanceof Error ? error : new Error('unreadable')
    // Of text with many brackets the depth would be measured first.
    const isText = problem instanceof MCPError || !beginsLikeJSON(line)
    this.#fault(isText ? 'Skipped a line that is not JSON' : problem.message, line, problem)
    this.#refuse(problem, identifyMessage(line, line), line)
  }

  #refuse(problem: Error, ends: MessageIdentity, line?: Uint8Array): void {
    if (ends.kind === 'answer' && ends.id !== undefined) this.#receiver.lost(ends.id, toLostAnswerError(problem, line))
    else this.#options.onUnreadable?.(problem, ends, line)
  }

  #fault(what: string, line: Uint8Array, error?: Error): void {
    const fault = { kind: 'transport' as const, message: `${what}: ${excerpt(line)}` }
    this.#receiver.fault(error === undefined ? fault : { ...fault, error })
  }
}

/** The beginning of a line, fit for a log: one line, no control characters, not long. */
export function excerpt(line: Uint8Array): string {
  const text = new TextDecoder().decode(line.subarray(0, EXCERPT_LENGTH * 4))
  return JSON.stringify(text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text)
}

function beginsLikeJSON(line: Uint8Array): boolean {
  const first = line.find((byte) => !isSpace(byte))
  return first === 0x7b || first === 0x5b
}

function isBlank(line: Uint8Array): boolean {
  return line.every(isSpace)
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
