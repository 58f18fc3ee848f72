// Buckets and places, by compare-and-set.
import type { HoldOptions, Limits, TakeOptions } from '../../backend/limits.ts'
import { checkCount, checkName, checkTake, checkTtl, MAX_TTL_MS } from '../../backend/rules.ts'
import { takeTokens } from '../../backend/token-bucket.ts'
import type { Engine } from '../engine/engine.ts'
import { SharedValues } from './shared-value.ts'

/** A bucket that so many nodes want at once is left to the policy of the caller (`onUnavailable`). */
const TAKE_TRIES = 4
/** A place is wanted by few, and nobody can decide about it alone. */
const HOLD_TRIES = 32
/** Clocks of nodes differ by less: a bucket that is full is kept so long beyond. */
const SPARE_MS = 1_000

/** When each holder loses its place. */
type Holders = Readonly<Record<string, number>>

export class NatsLimits implements Limits {
  readonly #engine: Engine
  readonly #buckets: SharedValues
  readonly #places: SharedValues

  constructor(engine: Engine) {
    this.#engine = engine
    this.#buckets = new SharedValues(engine, TAKE_TRIES)
    this.#places = new SharedValues(engine, HOLD_TRIES)
  }

  async take(key: string, options: TakeOptions): Promise<number> {
    checkName('limits.take', key)
    checkTake('limits.take', options)
    this.#engine.link.checkOpen('limits.take')
    return this.#buckets.change('limits.take', this.#engine.names.bucket(key), (text, here) => {
      const [known, takenAt = here] = text === undefined ? [] : text.split(' ').map(Number)
      // Whoever took the last ones may be a little ahead. By an earlier time, tokens that are there would be missing.
      const now = takenAt - here < SPARE_MS ? Math.max(here, takenAt) : here
      const { waitMs, fullAt } = takeTokens(known, now, options)
      if (waitMs > 0) return { result: waitMs }
      const ttlMs = Math.min(MAX_TTL_MS, Math.max(1, fullAt - now) + SPARE_MS)
      return { result: 0, value: { text: `${fullAt} ${now}`, ttlMs } }
    })
  }

  async hold(key: string, holder: string, { max, ttlMs }: HoldOptions): Promise<boolean> {
    checkName('limits.hold', key)
    checkName('limits.hold', holder)
    checkCount('limits.hold', 'max', max)
    checkTtl('limits.hold', ttlMs)
    this.#engine.link.checkOpen('limits.hold')
    return this.#places.change('limits.hold', this.#engine.names.places(key), (text, now) => {
      const holders = present(text, now)
      if (!holders.has(holder) && holders.size >= max) return { result: false }
      return { result: true, value: written(holders.set(holder, now + ttlMs), now) }
    })
  }

  async release(key: string, holder: string): Promise<void> {
    checkName('limits.release', key)
    checkName('limits.release', holder)
    this.#engine.link.checkOpen('limits.release')
    await this.#places.change('limits.release', this.#engine.names.places(key), (text, now) => {
      const holders = present(text, now)
      if (!holders.delete(holder)) return { result: undefined }
      return { result: undefined, value: written(holders, now) }
    })
  }
}

function present(text: string | undefined, now: number): Map<string, number> {
  const holders = Object.entries(text === undefined ? {} : (JSON.parse(text) as Holders))
  return new Map(holders.filter(([, endsAt]) => endsAt > now))
}

function written(holders: ReadonlyMap<string, number>, now: number): { text: string; ttlMs: number } {
  const ttlMs = Math.min(MAX_TTL_MS, Math.max(1, ...[...holders.values()].map((endsAt) => endsAt - now)) + SPARE_MS)
  return { text: JSON.stringify(Object.fromEntries(holders)), ttlMs }
}
