// Whether the handler of a run still works: one that ignores its signal takes memory and time after its run was given up.
import type { Clock } from '../../../../primitives/async/clock.ts'
import { unref } from '../../../../primitives/async/timer.ts'

/** How long such a handler counts as running. */
const LINGER_MS = 60_000

export class HandlerWatch {
  readonly #clock: Clock
  #isWorking = false
  #onOver: (() => void) | undefined
  #over: Promise<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(): void {
    this.#isWorking = true
  }

  end(): void {
    this.#isWorking = false
    this.#onOver?.()
  }

  /** Resolves at the end, or when the handler has had its time to stop; `undefined` where it has ended. */
  whenOver(): Promise<void> | undefined {
    if (!this.#isWorking) return undefined
    this.#over ??= new Promise((resolve) => {
      const timer = this.#clock.setTimer(resolve, LINGER_MS)
      unref(timer)
      this.#onOver = () => {
        this.#clock.clearTimer(timer)
        resolve()
      }
    })
    return this.#over
  }
}
