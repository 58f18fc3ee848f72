// A failure that the person at the terminal can do something about, and how it is told.

export interface FailureOptions {
  /** What to do about it, in one sentence. */
  hint?: string
  /** 1 unless given; 2 is for a command that was written wrongly. */
  exitCode?: number
  cause?: unknown
}

/** Shown as a sentence, without a stack. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.hint = options.hint
    this.exitCode = options.exitCode ?? 1
  }
}

/** The command was written wrongly. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(message, { exitCode: 2, ...(hint !== undefined && { hint }) })
}
