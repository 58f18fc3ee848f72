// A bounded number of places, and a bounded line of those who wait for one.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/deferred.ts'

export class WaitingLine {
  /** Those who belong to it: at work, in the line, or away for a while. */
  members = 0
  readonly #max: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<Deferred<void>>()
  #taken = 0

  constructor(max: number, maxWaiting: number) {
    this.#max = max
    this.#maxWaiting = maxWaiting
  }

  /** Whether neither a place nor room in the line is left. */
  get isFull(): boolean {
    return this.#taken >= this.#max && this.#waiting.size >= this.#maxWaiting
  }

  /** Takes a place if one is free. */
  takePlace(): boolean {
    if (this.#taken >= this.#max) return false
    this.#taken += 1
    return true
  }

  /** Resolves with a place taken; first come, first served. Rejects with the signal's reason when that aborts first. */
  async waitForPlace(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason
    const turn = createDeferred()
    const leave = () => {
      if (this.#waiting.delete(turn)) turn.reject(signal.reason)
    }
    this.#waiting.add(turn)
    listenForAbort(signal, leave)
    try {
      await turn.promise
    } finally {
      forgetAbort(signal, leave)
    }
  }

  /** Gives a place back, or rather to whoever waits longest for it. */
  giveBack(): void {
    const [first] = this.#waiting
    if (first === undefined) {
      this.#taken -= 1
      return
    }
    this.#waiting.delete(first)
    first.resolve()
  }
}
