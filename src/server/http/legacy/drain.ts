// Requests in flight when an endpoint closes, and how long closing waits for them.
import { createDeferred, type Deferred } from '../../../primitives/async/promises.ts'
import { MAX_TIMER_MS, type Timer } from '../../../primitives/async/timer.ts'

export class Drain {
  readonly #deadline = createDeferred()
  readonly #timers: Timer[] = []
  #inFlight = 0
  #closing: Promise<void> | undefined
  #idle: Deferred<void> | undefined

  /** Counts work until it has settled. It never rejects. */
  track(work: Promise<void> | undefined): Promise<void> | undefined {
    if (work === undefined) return undefined
    this.#inFlight += 1
    return work.then(this.#leave)
  }

  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Waits for what is in flight, at most for the shortest `drainMs` of all calls, then shuts down, once. */
  close(drainMs: number, shutDown: () => Promise<void>): Promise<void> {
    const drained = this.#wait(drainMs)
    this.#closing ??= drained.then(shutDown)
    return this.#closing
  }

  async #wait(drainMs: number): Promise<void> {
    if (this.#inFlight === 0) return
    if (drainMs <= 0) this.#deadline.resolve()
    else this.#timers.push(setTimeout(() => this.#deadline.resolve(), Math.min(drainMs, MAX_TIMER_MS)))
    this.#idle ??= createDeferred()
    await Promise.race([this.#idle.promise, this.#deadline.promise])
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
  }

  readonly #leave = (): void => {
    this.#inFlight -= 1
    if (this.#inFlight === 0) this.#idle?.resolve()
  }
}
