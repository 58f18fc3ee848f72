// Reads a pipe with backpressure, and to its last byte when the writer has exited.
import type { Readable } from 'node:stream'
import { createDeferred } from '../../primitives/async/promises.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'

/** Handles a chunk. If it returns a promise, reading pauses until that settles. */
export type TakeChunk = (chunk: Uint8Array) => Promise<void> | undefined

/** A pipe counts as empty after this long without a chunk; and this many waits are the most. */
const QUIET_MS = 250
const MAX_LOOKS = 8

export class PipeReader {
  readonly #stream: Readable
  readonly #ended = createDeferred()
  /** Chunks that arrived while reading was paused. */
  readonly #early: Uint8Array[] = []
  #take: TakeChunk | undefined
  #pressure: Promise<void> | undefined
  #chunksTaken = 0
  #isAtEnd = false

  constructor(stream: Readable) {
    this.#stream = stream
    // Paused first: a data listener would start the flow.
    stream.pause()
    stream.on('data', this.#receive)
    for (const event of ['end', 'close', 'error']) stream.on(event, () => this.#reachEnd())
    // One that has ended tells nobody any more.
    if (stream.readableEnded || stream.destroyed) this.#reachEnd()
  }

  /** Resolves when the stream has ended and all chunks were handled. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  start(take: TakeChunk): void {
    this.#take = take
    this.#pump()
  }

  /** Reads on and drops everything, so that a writer that waits for us can exit. */
  discard(): void {
    this.#take = () => undefined
    this.#relieve()
  }

  /**
   * Waits for the rest after the writer has exited, for a bounded time: what it wrote is in the pipe already, but a process that
   * it started may hold the other end open forever.
   */
  async readRest(): Promise<void> {
    for (let look = 0; look < MAX_LOOKS; look++) {
      const takenBefore = this.#chunksTaken
      if (await settlesWithin(this.#ended.promise, QUIET_MS)) return
      // If this process was busy all that time, the pipe has not been read yet.
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#chunksTaken === takenBefore && this.#pressure === undefined) return
    }
  }

  readonly #receive = (chunk: Uint8Array): void => {
    if (this.#take !== undefined && this.#pressure === undefined) {
      this.#pass(chunk, this.#take)
      return
    }
    // Node resumes the streams of a child when it exits, even if they are paused.
    this.#early.push(chunk)
    this.#stream.pause()
  }

  #pump(): void {
    while (this.#take !== undefined && this.#pressure === undefined) {
      const chunk = this.#early.shift()
      if (chunk === undefined) {
        this.#stream.resume()
        if (this.#isAtEnd) this.#reachEnd()
        return
      }
      this.#pass(chunk, this.#take)
    }
  }

  #pass(chunk: Uint8Array, take: TakeChunk): void {
    this.#chunksTaken += 1
    const pressure = take(chunk)
    if (pressure !== undefined) this.#waitFor(pressure)
  }

  #waitFor(pressure: Promise<void>): void {
    this.#pressure = pressure
    this.#stream.pause()
    const resume = () => {
      if (this.#pressure === pressure) this.#relieve()
    }
    pressure.then(resume, resume)
  }

  #relieve(): void {
    this.#pressure = undefined
    this.#pump()
  }

  #reachEnd(): void {
    this.#isAtEnd = true
    if (this.#pressure === undefined && this.#early.length === 0) this.#ended.resolve()
  }
}
