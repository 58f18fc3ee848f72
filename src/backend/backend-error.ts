// The one error that a backend throws.

import { withHelp } from '../primitives/help.ts'
/** What went wrong: the engine is away, too slow, holds something unreadable or newer than this release, or refused. */
export type BackendFailure = 'unavailable' | 'timeout' | 'too-large' | 'corrupt' | 'newer-data' | 'refused'

/** The last argument of `new BackendError()`. */
export interface BackendErrorOptions {
  /** What went wrong. */
  readonly kind: BackendFailure
  /** The method, such as `records.get`; never a key or a value. */
  readonly operation: string
  /** Whether the operation may have taken effect all the same (default: `not-done`). */
  readonly outcome?: 'not-done' | 'unknown'
  /** The error of the engine's client. */
  readonly cause?: unknown
  /** The limit of the engine that was reached, where one was. */
  readonly limit?: ReachedLimit
}

/** A limit of a backend that an operation would exceed. */
export interface ReachedLimit {
  /** The name of the limit, such as `maxValueBytes`. */
  readonly name: string
  /** The value of the limit, in the unit that its name has. */
  readonly max: number
}

/** An operation of a backend failed. `outcome` says whether it may have happened all the same. */
export class BackendError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** What went wrong. Only `unavailable` and `timeout` can pass by themselves. */
  readonly kind: BackendFailure
  /** The method, such as `records.get`. Never a key or a value. */
  readonly operation: string
  /** `not-done`: nothing was changed. `unknown`: the change may have happened. */
  readonly outcome: 'not-done' | 'unknown'
  /** The limit that was reached, if that is why. */
  readonly limit: ReachedLimit | undefined

  constructor(message: string, { kind, operation, outcome = 'not-done', cause, limit }: BackendErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'BackendError'
    this.kind = kind
    this.operation = operation
    this.outcome = outcome
    this.limit = limit
    withHelp('backend-failed', this)
  }
}
