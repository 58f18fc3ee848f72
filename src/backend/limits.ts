// Rates and places that all nodes share.
import type { MaybePromise } from '../primitives/async/promises.ts'

/** Options of `limits.take()`. */
export interface TakeOptions {
  /** How many tokens come back per second. */
  readonly perSecond: number
  /** How many tokens there are at most. */
  readonly burst: number
  /** Default: 1. */
  readonly tokens?: number
}

/** Options of `limits.hold()`. */
export interface HoldOptions {
  /** How many holders the key can have at once. */
  readonly max: number
  /** The place is lost unless it is held again within this time, in milliseconds. */
  readonly ttlMs: number
}

/** Rates and places that all processes share. */
export interface Limits {
  /**
   * A token bucket by arrival times: milliseconds to wait, 0 where the tokens were taken. The one operation whose repeat after an
   * unknown outcome counts twice, which errs on the safe side.
   */
  take(key: string, options: TakeOptions): MaybePromise<number>
  /** A place among `max`. True also for a holder that has one already. */
  hold(key: string, holder: string, options: HoldOptions): MaybePromise<boolean>
  /** Gives back one place of the key. Does nothing if the holder has none. */
  release(key: string, holder: string): MaybePromise<void>
}
