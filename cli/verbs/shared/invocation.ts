// What a verb gets: the words and options that were typed, the output, and the signal of Ctrl-C.
import type { Output, OutputOptions } from '../../terminal/output.ts'

export interface Invocation<Options extends object = Record<string, unknown>> {
  readonly words: readonly string[]
  /** The words after `--`: a command, or the arguments of a program. `undefined` without `--`. */
  readonly afterDashes: readonly string[] | undefined
  readonly options: Options & OutputOptions
  readonly output: Output
  /** Aborted by Ctrl-C and SIGTERM. The verb ends its children and rejects; the process exits 130 or 143. */
  readonly interruption: AbortSignal
}

/** Resolves to the exit code. */
export type Verb = (invocation: Invocation<never>) => Promise<number>

export interface VerbModule {
  /** Loaded when the verb is used, so that no verb pays for another one. */
  load(): Promise<Verb>
  /** The verb ends by itself at a signal. */
  handlesSignals?: boolean
}
