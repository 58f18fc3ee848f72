// A call's place among those that may be at work at once: left while somebody else is asked, taken again to go on.
import type { WaitingLine } from './waiting-line.ts'

export class Place {
  readonly #line: WaitingLine
  readonly #signal: AbortSignal
  #isTaken = false
  #isOver = false
  #taking: Promise<void> | undefined

  constructor(line: WaitingLine, signal: AbortSignal) {
    this.#line = line
    this.#signal = signal
  }

  /** Waits for a turn. Rejects with the reason of the signal when that aborts first. */
  async take(): Promise<void> {
    if (!this.#line.takePlace()) await this.#line.waitForPlace(this.#signal)
    this.#isTaken = true
    if (this.#isOver) this.#leave()
  }

  /** For good. A call may end before its questions are answered. */
  end(): void {
    this.#isOver = true
    this.#leave()
  }

  /** Of several that are asked at the same time, the first answer brings the place back. */
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
