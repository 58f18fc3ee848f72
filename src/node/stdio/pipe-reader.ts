// Reads a pipe no faster than what comes out of it is taken, and to the last byte when its writer is gone.
import type { Readable } from 'node:stream'
import { createDeferred } from '../../primitives/async/promises.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'

/** Takes a chunk. A promise in return asks for no more until it settles. */
export type TakeChunk = (chunk: Uint8Array) => Promise<void> | undefined

/** How long nothing may come out of a pipe before it counts as empty, and how often we look. */
const QUIET_MS = 250
const MAX_LOOKS = 8

export class PipeReader {
  readonly #stream: Readable
  readonly #ended = createDeferred()
  /** What came although we had asked for nothing. */
  readonly #early: Uint8Array[] = []
  #take: TakeChunk | undefined
  #pressure: Promise<void> | undefined
  #chunksTaken = 0
  #isAtEnd = false

  constructor(stream: Readable) {
    this.#stream = stream
    // Paused before anyone listens, or it would flow at once.
    stream.pause()
    stream.on('data', this.#receive)
    for (const event of ['end', 'close', 'error']) stream.on(event, () => this.#reachEnd())
  }

  /** Settles when nothing more can come and all has been taken. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  start(take: TakeChunk): void {
    this.#take = take
    this.#pump()
  }

  /** Goes on reading, for the sake of a writer that could not leave otherwise, and forgets what it reads. */
  discard(): void {
    this.#take = () => undefined
    this.#relieve()
  }

  /**
   * Waits for the rest after the writer has died, for a while: what it wrote is in the pipe already, but a process that it left
   * behind may hold the other end and never close it.
   */
  async readRest(): Promise<void> {
    for (let look = 0; look < MAX_LOOKS; look++) {
      const takenBefore = this.#chunksTaken
      if (await settlesWithin(this.#ended.promise, QUIET_MS)) return
      // If we were busy ourselves all that time, nobody has looked into the pipe yet.
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#chunksTaken === takenBefore && this.#pressure === undefined) return
    }
  }

  readonly #receive = (chunk: Uint8Array): void => {
    if (this.#take !== undefined && this.#pressure === undefined) {
      this.#pass(chunk, this.#take)
      return
    }
    // Node lets the streams of a child flow when it exits, whether someone is ready for them or not.
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
