// Asks a channel to deliver no more for a while. Not for long: behind what has to wait may come the word that ends the wait.
import { createDeferred, type Deferred } from '../primitives/async/deferred.ts'
import type { Timer } from '../primitives/async/timer.ts'

/** How long to wait for room before we read on and refuse what does not fit. */
const PATIENCE_MS = 500

export class Pause {
  readonly #hasRoom: () => boolean
  #waiting: Deferred<void> | undefined
  #timer: Timer | undefined
  /** The last pause was in vain, and there has been no room since. */
  #isInVain = false

  constructor(hasRoom: () => boolean) {
    this.#hasRoom = hasRoom
  }

  /** For how long to deliver nothing; not at all while that has just been in vain. */
  begin(): Promise<void> | undefined {
    if (this.#isInVain) return undefined
    if (this.#waiting === undefined) {
      this.#waiting = createDeferred()
      // It keeps the process: while the channel pauses, nothing else may.
      this.#timer = setTimeout(() => this.#giveUp(), PATIENCE_MS)
    }
    return this.#waiting.promise
  }

  endIfPossible(): void {
    if ((this.#waiting === undefined && !this.#isInVain) || !this.#hasRoom()) return
    this.#isInVain = false
    this.end()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#waiting?.resolve()
    this.#waiting = undefined
  }

  #giveUp(): void {
    this.#isInVain = true
    this.end()
  }
}
