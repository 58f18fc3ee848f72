// Work that belongs to no connection, such as the runs of tasks: it ends in good order before the last of those who keep the server
// running has left, and goes on where somebody stays.
import { monotonicNow, settlesWithin } from '../../primitives/async/timer.ts'

/** One kind of such work. */
export interface BackgroundWork {
  /** Takes no new work, and ends what is there. With `endsWithProcess` nothing of it can go on later. */
  close(options: { drainMs: number; endsWithProcess: boolean }): Promise<void>
  /** The leases that it holds at present, so that the server goes on until it has ended. */
  readonly heldLeases: number
  /** The server was to stop, and goes on: somebody keeps it running. */
  goOn(): void
}

/** What the end of background work still has to say gets this time at least, within the time to drain. */
const LAST_ANSWERS_MS = 250

export class Background {
  readonly #leaseCount: () => number
  readonly #lastWords: () => Promise<unknown> | undefined
  readonly #works = new Set<BackgroundWork>()
  /** Those who hold a lease, and are about to give it back. */
  readonly #leaving = new Set<object>()
  #endsWithProcess = false

  /** Leases are those of the server, in all. `lastWords` are sent once work has ended; `undefined` where there are none. */
  constructor(leaseCount: () => number, lastWords: () => Promise<unknown> | undefined) {
    this.#leaseCount = leaseCount
    this.#lastWords = lastWords
  }

  /** The work ends before anything else of the server closes: what it still has to say reaches clients. The returned function removes it. */
  add(work: BackgroundWork): () => void {
    this.#works.add(work)
    return () => void this.#works.delete(work)
  }

  /** Ends all of it. Resolves with what is left of the time; `undefined` where there is none. */
  end(drainMs: number): Promise<number> | undefined {
    return this.#works.size === 0 ? undefined : this.#end(drainMs)
  }

  /**
   * Ends it before `leaving` closes, which holds a lease. Resolves with what is left of the time. Subscriptions end here only where
   * no other node can take them. `undefined` where there is none, or where somebody else keeps the server running.
   */
  endBefore(leaving: object, drainMs: number): Promise<number> | undefined {
    this.#leaving.add(leaving)
    return this.#endIfLast(drainMs)
  }

  /** `leaving` has given its lease back. What has begun meanwhile ends, unless the server goes on. */
  async left(leaving: object): Promise<void> {
    this.#leaving.delete(leaving)
    await this.#endIfLast(0)
    this.goOnIfHeld()
  }

  /** The process ends: from here on it ends with the first that closes, whoever else keeps the server running. */
  endWithProcess(): void {
    this.#endsWithProcess = true
  }

  goOnIfHeld(): void {
    if (this.#othersHold && !this.#endsWithProcess) for (const one of this.#works) one.goOn()
  }

  #endIfLast(drainMs: number): Promise<number> | undefined {
    if (this.#works.size === 0 || (this.#othersHold && !this.#endsWithProcess)) return undefined
    if (this.#heldLeases > 0 || this.#endsWithProcess) return this.#endWithLastWords(drainMs)
    // There is nothing to wait for. It takes no new work.
    void this.#end(0)
    return undefined
  }

  /** Whether anybody keeps the server running who does not leave, beside this work. */
  get #othersHold(): boolean {
    return this.#leaseCount() > this.#heldLeases + this.#leaving.size
  }

  get #heldLeases(): number {
    return [...this.#works].reduce((count, { heldLeases }) => count + heldLeases, 0)
  }

  async #endWithLastWords(drainMs: number): Promise<number> {
    const leftMs = await this.#end(drainMs)
    const lastWords = this.#lastWords()
    if (lastWords !== undefined) await settlesWithin(lastWords, LAST_ANSWERS_MS)
    return leftMs
  }

  async #end(drainMs: number): Promise<number> {
    const startedAt = monotonicNow()
    const endsWithProcess = this.#endsWithProcess
    await Promise.all([...this.#works].map((one) => one.close({ drainMs, endsWithProcess })))
    return Math.max(Math.min(drainMs, LAST_ANSWERS_MS), drainMs - (monotonicNow() - startedAt))
  }
}
