// Small values with revisions.
import type { MaybePromise } from '../primitives/async/promises.ts'

/** A value in a backend, with its revision. */
export interface Kept {
  /** The value itself. */
  readonly value: string
  /** Another one after every put. */
  readonly revision: string
}

/** Options of `records.put()`. */
export interface PutOptions {
  /** How long the value is kept, in milliseconds. */
  readonly ttlMs: number
  /** Puts only where the key has no value, or has the value of this revision. */
  readonly if?:
    | 'absent'
    | {
        /** The revision that the value must have now. */
        readonly revision: string
      }
  /**
   * The revision that the value gets: 16 random characters (12 bytes in base64url) that were never used before. A put that is repeated
   * with the same one after an unknown outcome is known, and returns it (default: the engine chooses one).
   */
  readonly as?: string
}

/** Linearizable per key while one primary lives; nothing is promised across keys. */
export interface Records {
  /** With `touchMs` the time to live starts anew, in the same trip. */
  get(key: string, options?: { readonly touchMs?: number }): MaybePromise<Kept | undefined>
  /**
   * The new revision; `undefined` where the condition does not hold. A repeat of a put that was done, known by `as`, returns its
   * revision. The same value put by somebody else is no repeat: of several who put it on one condition, one gets a revision.
   */
  put(key: string, value: string, options: PutOptions): MaybePromise<string | undefined>
  /** Whether there was something to delete. */
  delete(key: string, options?: { readonly if?: { readonly revision: string } }): MaybePromise<boolean>
}
