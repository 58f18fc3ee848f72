// Writes lines to a pipe: those of one turn in one go, with word of a reader that is slow, and a bound on what waits for it.
import type { MessagePieces } from '../../dispatcher/encode.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { LimitError } from '../../types/errors/failures.ts'

/** More than any head of an answer needs whose id is a number. */
const HEAD_ROOM = 64
/** What is longer is not worth a copy. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

const { Buffer } = process.getBuiltinModule('node:buffer')

/** To write one piece costs a pipe a few microseconds less than to write two. */
export class RepeatedLine {
  #body: Uint8Array | undefined
  #bytes: Buffer | undefined

  /**
   * The whole line, where the same body was the last one too. It is good until the next call, so only for a pipe that has taken
   * all of the line before, and that leads out of this process.
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

/** The most that may wait for a reader that is slow, unless another bound is given. A pipe with room takes a line of any length. */
export const MAX_QUEUED_BYTES = 16 * 1024 * 1024

export interface LineWriterOptions {
  /** A line was refused because too much waits for the reader already. */
  onOverflow?: (error: LimitError) => void
  maxQueuedBytes?: number
}

/** What lines are written to: any `Writable`, and the real stdout. */
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
  /** `done` when all has been written. */
  end(done: () => void): unknown
  /** Whether what no longer waits in it has left the process. Not so for a stream that hands chunks on. */
  readonly isLast?: boolean
}

/** More than this is not gathered but written at once. */
const GATHERED_LENGTH = 64 * 1024

/** Long enough that a reader who has nothing else to do reads twice. With the next turn alone, four of five did not. */
const SEPARATION_MS = 1

export class LineWriter {
  readonly #stream: LinePipe
  readonly #broken = createDeferred<Error>()
  readonly #onOverflow: ((error: LimitError) => void) | undefined
  readonly #maxQueuedBytes: number
  readonly #repeated: RepeatedLine | undefined
  #gathered = ''
  #drained: Deferred<void> | undefined
  #failure: Error | undefined
  #isBroken = false
  #isSeparating = false

  constructor(stream: LinePipe, { onOverflow, maxQueuedBytes = MAX_QUEUED_BYTES }: LineWriterOptions = {}) {
    this.#stream = stream
    this.#onOverflow = onOverflow
    this.#maxQueuedBytes = maxQueuedBytes
    this.#repeated = stream.isLast === true ? new RepeatedLine() : undefined
    // Both stay for good: a write that fails late must find a listener.
    stream.on('error', (error) => this.#break(error))
    stream.on('drain', () => this.#tellDrained())
  }

  /** Settles with the reason when the pipe takes nothing more. */
  get broken(): Promise<Error> {
    return this.#broken.promise
  }

  /** Whether nothing has to wait for the reader. */
  get hasRoom(): boolean {
    return this.#failure === undefined && this.#stream.writable && !this.#stream.writableNeedDrain
  }

  /** Whether the line may wait with those that wait already. */
  fits(line: string): boolean {
    if (!this.#stream.writableNeedDrain) return true
    return this.#gathered.length + this.#stream.writableLength + line.length <= this.#maxQueuedBytes
  }

  /** Resolves when the pipe has room again, and rejects with the reason given to `fail`. */
  room(): Promise<void> {
    return this.#failure === undefined ? this.#room() : Promise.reject(this.#failure)
  }

  /** A promise in return resolves when the pipe has room again, and rejects with the reason given to `fail`. */
  write(line: string): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#isBroken) return this.#room()
    if (!this.fits(line)) {
      const error = new LimitError('queued outbound bytes', this.#maxQueuedBytes)
      this.#onOverflow?.(error)
      return Promise.reject(error)
    }
    // After all that is ready to run has run, and so with all the lines that it writes.
    if (this.#gathered === '' && !this.#isSeparating) process.nextTick(this.#flushTurn)
    this.#gathered += line
    if (this.#gathered.length > GATHERED_LENGTH) this.#flush()
    return this.#stream.writableNeedDrain ? this.#room() : undefined
  }

  /** What has been written leaves now, and what is written from now on leaves a moment later, in the same order. */
  separate(): void {
    if (this.#gathered === '' || this.#isSeparating) return
    this.#flush()
    this.#isSeparating = true
    setTimeout(() => {
      this.#isSeparating = false
      this.#flush()
    }, SEPARATION_MS)
  }

  /** As `write`, for a line whose long end lies ready in bytes. For a pipe that has room. */
  writePieces({ head, isHeadASCII, body }: MessagePieces): Promise<void> | undefined {
    const whole = isHeadASCII === true && this.#isIdle() ? this.#repeated?.with(head, body) : undefined
    if (whole !== undefined) this.#stream.write(whole)
    else this.#writeBoth(head, body)
    return this.#stream.writableNeedDrain ? this.#room() : undefined
  }

  /** Nothing waits here, and nothing in the pipe: a pipe may have room and still be writing. */
  #isIdle(): boolean {
    return this.#gathered === '' && !this.#isBroken && this.#stream.writableLength === 0
  }

  #writeBoth(head: string, body: Uint8Array): void {
    this.#stream.cork()
    this.#gathered += head
    this.#flush()
    this.#stream.write(body)
    this.#stream.uncork()
  }

  /** Writes what waits and then closes the pipe; settles when that is done or has failed. */
  end(): Promise<void> {
    this.#flush()
    return new Promise((resolve) => {
      this.#stream.once('close', resolve)
      this.#stream.end(() => resolve())
    })
  }

  /** Nothing more will be written, for this reason. Whoever waits is told. */
  fail(reason: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = reason
    this.#gathered = ''
    // Not everyone who writes waits, and a failure is also told in other ways.
    this.#drained?.promise.catch(() => {})
    this.#drained?.reject(reason)
    this.#drained = undefined
  }

  readonly #flushTurn = (): void => {
    if (!this.#isSeparating) this.#flush()
  }

  #flush(): void {
    const text = this.#gathered
    this.#gathered = ''
    if (text === '' || this.#isBroken) return
    if (this.#stream.writable) this.#stream.write(text)
    else this.#break(this.#stream.errored ?? new Error('The pipe is closed'))
  }

  #room(): Promise<void> {
    this.#drained ??= createDeferred()
    return this.#drained.promise
  }

  #tellDrained(): void {
    this.#drained?.resolve()
    this.#drained = undefined
  }

  #break(error: Error): void {
    this.#isBroken = true
    this.#broken.resolve(error)
  }
}
