// The one error that a backend throws.

import { withHelp } from '../primitives/help.ts'
/** What went wrong: the engine is away, too slow, holds something unreadable or newer than this release, or refused. */
export type BackendFailure = 'unavailable' | 'timeout' | 'too-large' | 'corrupt' | 'newer-data' | 'refused'

export interface BackendErrorOptions {
  readonly kind: BackendFailure
  /** The method, such as `records.get`; never a key or a value. */
  readonly operation: string
  /** Whether the operation may have taken effect all the same (default: `not-done`). */
  readonly outcome?: 'not-done' | 'unknown'
  readonly cause?: unknown
  /** The limit of the engine that was reached, where one was. */
  readonly limit?: ReachedLimit
}

export interface ReachedLimit {
  readonly name: string
  readonly max: number
}

export class BackendError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  readonly kind: BackendFailure
  readonly operation: string
  readonly outcome: 'not-done' | 'unknown'
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
