// Failures that the user can act on.
import { EXIT } from './exit-codes.ts'

export interface FailureOptions {
  /** What to do about it, in one sentence. */
  hint?: string | undefined
  /** Default 1. `EXIT` names them. */
  exitCode?: number
  /** A short name that stays the same, for scripts and for the page about it. */
  slug?: string
  cause?: unknown
}

/** Shown as a sentence, without a stack. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly hint: string | undefined
  readonly exitCode: number
  readonly slug: string

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.hint = options.hint
    this.exitCode = options.exitCode ?? EXIT.refused
    this.slug = options.slug ?? (this.exitCode === EXIT.usage ? 'usage' : 'failed')
  }
}

/** The command has wrong arguments. Nothing was started. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(message, { exitCode: EXIT.usage, slug: 'usage', hint })
}
