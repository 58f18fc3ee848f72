// Writes lines to a pipe: the lines of one turn in one write, with backpressure, and a limit on what waits for a slow reader.
import type { MessagePieces } from '../../dispatcher/encode.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { LimitError } from '../../types/errors/failures.ts'

/** Enough for the head of any response whose id is a number. */
const HEAD_ROOM = 64
/** A longer body is not worth a copy. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

const { Buffer } = process.getBuiltinModule('node:buffer')

/** Puts head and body into one buffer when the same body repeats: one write costs a few microseconds less than two. */
export class RepeatedLine {
  #body: Uint8Array | undefined
  #bytes: Buffer | undefined

  /**
   * The whole line, if the last call had the same body. It is valid until the next call: use it only for a pipe that has written
   * the line before, and that leads out of this process.
   */
  with(head: string, body: Uint8Array): Uint8Array | undefined {
    if (body !== this.#body) {
      this.#body = body
      this.#bytes = undefined
      return undefined
    }
    if (head.length > HEAD_ROOM || body.length > MAX_BODY_BYTES) return undefined
    this.#bytes ??= withRoom(body)
    const start = HEAD_ROOM - head.length
    this.#bytes.write(head, start, 'latin1')
    return this.#bytes.subarray(start)
  }
}

function withRoom(body: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(HEAD_ROOM + body.length)
  bytes.set(body, HEAD_ROOM)
  return bytes
}

/** The default limit on what waits for a slow reader. A pipe that is not full takes a line of any length. */
export const MAX_QUEUED_BYTES = 16 * 1024 * 1024

export interface LineWriterOptions {
  /** Called when a line is rejected because too much waits for the reader. */
  onOverflow?: (error: LimitError) => void
  maxQueuedBytes?: number
}

/** Where lines are written: any `Writable`, or the real stdout. */
export interface LinePipe {
  readonly writable: boolean
  readonly writableNeedDrain: boolean
  readonly writableLength: number
  readonly errored: Error | null
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'drain', listener: () => void): unknown
  once(event: 'close', listener: () => void): unknown
  write(chunk: string | Uint8Array): boolean
  cork(): void
  uncork(): void
  /** Calls `done` when everything is written. */
  end(done: () => void): unknown
  /** Whether written chunks have left this process. False for a stream that passes chunks to another. */
  readonly isLast?: boolean
}

/** Longer than this, the text is written at once. */
const MAX_PENDING_LENGTH = 64 * 1024

/** Long enough that an idle reader reads twice. After one turn of the event loop, four of five readers did not. */
const SEPARATION_MS = 1

export class LineWriter {
  readonly #stream: LinePipe
  readonly #broken = createDeferred<Error>()
  readonly #onOverflow: ((error: LimitError) => void) | undefined
  readonly #maxQueuedBytes: number
  readonly #repeated: RepeatedLine | undefined
  #pendingText = ''
  #drained: Deferred<void> | undefined
  #failure: Error | undefined
  #isBroken = false
  #isSeparating = false

  constructor(stream: LinePipe, { onOverflow, maxQueuedBytes = MAX_QUEUED_BYTES }: LineWriterOptions = {}) {
    this.#stream = stream
    this.#onOverflow = onOverflow
    this.#maxQueuedBytes = maxQueuedBytes
    this.#repeated = stream.isLast === true ? new RepeatedLine() : undefined
    // Never removed: a write that fails late needs a listener.
    stream.on('error', (error) => this.#break(error))
    stream.on('drain', () => this.#resolveDrained())
  }

  /** Resolves to the reason when the pipe accepts nothing more. */
  get broken(): Promise<Error> {
    return this.#broken.promise
  }

  /** Whether a line can be written without waiting for the reader. */
  get hasRoom(): boolean {
    return this.#failure === undefined && this.#stream.writable && !this.#stream.writableNeedDrain
  }

  /** Whether the line fits within the limit, with what waits already. */
  fits(line: string): boolean {
    if (!this.#stream.writableNeedDrain) return true
    return this.#pendingText.length + this.#stream.writableLength + line.length <= this.#maxQueuedBytes
  }

  /** Resolves when the pipe has drained; rejects with the reason given to `fail`. */
  drained(): Promise<void> {
    return this.#failure === undefined ? this.#untilDrained() : Promise.reject(this.#failure)
  }

  /** Returns a promise if the pipe is full: it resolves when the pipe has drained, and rejects with the reason given to `fail`. */
  write(line: string): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#isBroken) return this.#untilDrained()
    if (!this.fits(line)) {
      const error = new LimitError('queued outbound bytes', this.#maxQueuedBytes)
      this.#onOverflow?.(error)
      return Promise.reject(error)
    }
    // Runs after the present callback, and so writes all its lines at once.
    if (this.#pendingText === '' && !this.#isSeparating) process.nextTick(this.#flushTurn)
    this.#pendingText += line
    if (this.#pendingText.length > MAX_PENDING_LENGTH) this.#flush()
    return this.#stream.writableNeedDrain ? this.#untilDrained() : undefined
  }

  /** Writes the lines so far now, and later lines a moment later, in the same order. */
  separate(): void {
    if (this.#pendingText === '' || this.#isSeparating) return
    this.#flush()
    this.#isSeparating = true
    setTimeout(() => {
      this.#isSeparating = false
      this.#flush()
    }, SEPARATION_MS)
  }

  /** As `write`, for a line whose body is bytes already. Only for a pipe that takes it at once. */
  writePieces({ head, isHeadASCII, body }: MessagePieces): Promise<void> | undefined {
    const whole = isHeadASCII === true && this.#isIdle() ? this.#repeated?.with(head, body) : undefined
    if (whole !== undefined) this.#stream.write(whole)
    else this.#writeBoth(head, body)
    return this.#stream.writableNeedDrain ? this.#untilDrained() : undefined
  }

  /** Whether nothing waits here or in the pipe: a pipe may have room and still be writing. */
  #isIdle(): boolean {
    return this.#pendingText === '' && !this.#isBroken && this.#stream.writableLength === 0
  }

  #writeBoth(head: string, body: Uint8Array): void {
    this.#stream.cork()
    this.#pendingText += head
    this.#flush()
    this.#stream.write(body)
    this.#stream.uncork()
  }

  /** Writes what waits, then closes the pipe. Resolves when that is done or has failed. */
  end(): Promise<void> {
    this.#flush()
    return new Promise((resolve) => {
      this.#stream.once('close', resolve)
      this.#stream.end(() => resolve())
    })
  }

  /** Writes nothing more. Rejects those who wait with the reason. */
  fail(reason: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = reason
    this.#pendingText = ''
    // Not every writer waits for the promise, and the failure is reported elsewhere too.
    this.#drained?.promise.catch(() => {})
    this.#drained?.reject(reason)
    this.#drained = undefined
  }

  readonly #flushTurn = (): void => {
    if (!this.#isSeparating) this.#flush()
  }

  #flush(): void {
    const text = this.#pendingText
    this.#pendingText = ''
    if (text === '' || this.#isBroken) return
    if (this.#stream.writable) this.#stream.write(text)
    else this.#break(this.#stream.errored ?? new Error('The pipe is closed'))
  }

  #untilDrained(): Promise<void> {
    this.#drained ??= createDeferred()
    return this.#drained.promise
  }

  #resolveDrained(): void {
    this.#drained?.resolve()
    this.#drained = undefined
  }

  #break(error: Error): void {
    this.#isBroken = true
    this.#broken.resolve(error)
  }
}
