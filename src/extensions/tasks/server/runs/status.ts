// The status message of a run: at most one write in half a second, and the last message always.
import type { Clock } from '../../../../primitives/async/clock.ts'
import { type Timer, unref } from '../../../../primitives/async/timer.ts'

const PAUSE_MS = 500
const MAX_LENGTH = 1_000

export class StatusWriter {
  readonly #clock: Clock
  readonly #write: (message: string) => Promise<void>
  #pending: string | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  /** `write` does not reject. */
  constructor(clock: Clock, write: (message: string) => Promise<void>) {
    this.#clock = clock
    this.#write = write
  }

  set(message: string): void {
    this.#pending = message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH - 1)}…` : message
    if (this.#timer !== undefined) return
    const waitMs = this.#writtenAt + PAUSE_MS - this.#clock.monotonic()
    if (waitMs <= 0) {
      void this.flush()
      return
    }
    this.#timer = this.#clock.setTimer(() => {
      this.#timer = undefined
      void this.flush()
    }, waitMs)
    unref(this.#timer)
  }

  /** Takes the message that was not written yet, to write it along with something else. */
  take(): string | undefined {
    const message = this.#pending
    this.#pending = undefined
    this.#clock.clearTimer(this.#timer)
    this.#timer = undefined
    if (message !== undefined) this.#writtenAt = this.#clock.monotonic()
    return message
  }

  async flush(): Promise<void> {
    const message = this.take()
    if (message !== undefined) await this.#write(message)
  }
}

/** The message of a progress report; without one, how far it is. */
export function progressText(progress: number, total: number | undefined, message: string | undefined): string {
  if (message !== undefined) return message
  return total === undefined ? String(progress) : `${progress}/${total}`
}
