// The places of limitConcurrency(): the line of those that want one, and the place of one request.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { Turns } from './turns.ts'

/** The places of one key, in this process or over all nodes. */
export interface PlaceLine {
  /** Requests that run, wait for their turn, or wait for an answer of their client. */
  members: number
  /** Whether no further request can run or wait, as far as this is known without a trip. */
  readonly isFull: boolean
  /** Whether one more may wait for its turn. */
  readonly canWait: boolean
  /** Takes a place if one is free. */
  takePlace(): MaybePromise<boolean>
  /** Resolves with a place taken; first come, first served. Rejects with the signal's reason when that aborts first. */
  waitForPlace(signal: AbortSignal): Promise<void>
  /** Frees a place, or gives it to the request that waits longest. */
  giveBack(): void
}

/** The places of one key in this process. */
export class WaitingLine implements PlaceLine {
  members = 0
  readonly #max: number
  readonly #maxWaiting: number
  readonly #turns = new Turns()
  #taken = 0

  constructor(max: number, maxWaiting: number) {
    this.#max = max
    this.#maxWaiting = maxWaiting
  }

  get isFull(): boolean {
    return this.#taken >= this.#max && !this.canWait
  }

  get canWait(): boolean {
    return this.#turns.waiting < this.#maxWaiting
  }

  takePlace(): boolean {
    if (this.#taken >= this.#max) return false
    this.#taken += 1
    return true
  }

  waitForPlace(signal: AbortSignal): Promise<void> {
    return this.#turns.wait(signal)
  }

  giveBack(): void {
    if (!this.#turns.callNext()) this.#taken -= 1
  }
}

/** The place of one request: free while its client answers a question, taken again for the answer. */
export class Place {
  readonly #line: PlaceLine
  readonly #signal: AbortSignal
  #isTaken = false
  #isOver = false
  #taking: Promise<void> | undefined

  constructor(line: PlaceLine, signal: AbortSignal) {
    this.#line = line
    this.#signal = signal
  }

  /** Waits for a turn. Rejects with the reason of the signal when that aborts first. */
  async take(): Promise<void> {
    await this.takeUnlessFull(true)
  }

  /** False where no place is free, and no further request may wait. */
  async takeUnlessFull(mustWait: boolean): Promise<boolean> {
    const taking = this.#line.takePlace()
    if (!(typeof taking === 'boolean' ? taking : await taking)) {
      if (!mustWait && !this.#line.canWait) return false
      await this.#line.waitForPlace(this.#signal)
    }
    this.#isTaken = true
    if (this.#isOver) this.#leave()
    return true
  }

  /** Frees the place for good. A call may end before its questions are answered. */
  end(): void {
    this.#isOver = true
    this.#leave()
  }

  /** Frees the place while `ask` runs. Of several questions at a time, the first answer takes a place again. */
  async leftWhile<T>(ask: () => Promise<T>): Promise<T> {
    this.#leave()
    try {
      return await ask()
    } finally {
      await this.#retake()
    }
  }

  async #retake(): Promise<void> {
    if (this.#isTaken || this.#isOver) return
    this.#taking ??= this.take()
    try {
      await this.#taking
    } finally {
      this.#taking = undefined
    }
  }

  #leave(): void {
    if (!this.#isTaken) return
    this.#isTaken = false
    this.#line.giveBack()
  }
}
