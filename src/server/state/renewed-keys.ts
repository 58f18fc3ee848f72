// Keys that a function returns: asked again every `refreshMs`, and earlier for a token whose key is not among them.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'

/** A token of an unknown key asks again at most this often: anybody can send one. */
const UNKNOWN_KEY_MS = 1_000

export class RenewedKeys<Keys> {
  readonly #load: () => MaybePromise<Keys>
  readonly #refreshMs: number
  #keys: Keys | undefined
  #renewing: Promise<Keys> | undefined
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(load: () => MaybePromise<Keys>, refreshMs: number) {
    this.#load = load
    this.#refreshMs = refreshMs
  }

  /** Those of before where the function fails. Rejects where it has never succeeded. */
  current(): MaybePromise<Keys> {
    const isRecent = monotonicNow() - this.#askedAt < this.#refreshMs
    return this.#keys !== undefined && isRecent ? this.#keys : this.#renew()
  }

  /** Asked again, unless that has just happened. */
  newest(): MaybePromise<Keys> {
    const isRecent = monotonicNow() - this.#askedAt < UNKNOWN_KEY_MS
    return this.#keys !== undefined && isRecent ? this.#keys : this.#renew()
  }

  #renew(): Promise<Keys> {
    this.#renewing ??= this.#ask().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #ask(): Promise<Keys> {
    try {
      this.#keys = await this.#load()
    } catch (error) {
      if (this.#keys === undefined) throw error
    }
    // After the answer, so that a slow one is not asked for again at once; after a failure too.
    this.#askedAt = monotonicNow()
    return this.#keys as Keys
  }
}
