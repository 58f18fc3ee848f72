// Small values with revisions.
import type { MaybePromise } from '../primitives/async/promises.ts'

export interface Kept {
  readonly value: string
  /** Another one after every put. */
  readonly revision: string
}

export interface PutOptions {
  readonly ttlMs: number
  /** Puts only where the key has no value, or has the value of this revision. */
  readonly if?: 'absent' | { readonly revision: string }
}

/** Linearizable per key while one primary lives; nothing is promised across keys. */
export interface Records {
  /** With `touchMs` the time to live starts anew, in the same trip. */
  get(key: string, options?: { readonly touchMs?: number }): MaybePromise<Kept | undefined>
  /**
   * The new revision; `undefined` where the condition does not hold. The repeat of a put that was done returns its revision: where the
   * condition does not hold, but the key has this very value, that is taken for one. So whoever must know that it was the first
   * puts a value that nobody else puts.
   */
  put(key: string, value: string, options: PutOptions): MaybePromise<string | undefined>
  /** Whether there was something to delete. */
  delete(key: string, options?: { readonly if?: { readonly revision: string } }): MaybePromise<boolean>
}
