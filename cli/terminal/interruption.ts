// Ctrl-C and SIGTERM: the command ends its children first, then the process exits 130 or 143.
import { constants } from 'node:os'
import { listenForSignals } from './signals.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How long a command may take to end its children. */
const END_MS = 3_000

/** The reason of `signal`. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super(`Interrupted by ${signal}.`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

export interface Interruption {
  readonly signal: AbortSignal
  /** The exit code, once a signal came. */
  readonly exitCode: number | undefined
  stop(): void
}

/** A second signal, or three seconds, end the process at once: what is left of its children dies with it. */
export function watchSignals(exit: (code: number) => void = (code) => process.exit(code)): Interruption {
  const controller = new AbortController()
  let exitCode: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (exitCode !== undefined) {
      exit(exitCode)
      return
    }
    const reason = new Interrupted(signal)
    exitCode = reason.exitCode
    const code = exitCode
    setTimeout(() => exit(code), END_MS).unref()
    controller.abort(reason)
  }
  const stop = listenForSignals(SIGNALS, onSignal)
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
    stop,
  }
}
