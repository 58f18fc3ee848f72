// The one way to listen to signals of this process. Node's default action, to end the process, is off while someone listens.

/** The signals that ask a server to shut down. */
export const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Every signal that ends a host, the end of its terminal included. */
export const TERMINATION_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type SignalHandler = (signal: NodeJS.Signals) => void

export interface SignalOptions {
  /** Runs before listeners that were added earlier. A `once` listener is off the list by the time that it runs. */
  runsFirst?: boolean
}

/** Calls `onSignal` at each of the signals, until the function that it returns is called. */
export function listenForSignals(
  signals: readonly NodeJS.Signals[],
  onSignal: SignalHandler,
  { runsFirst = false }: SignalOptions = {},
): () => void {
  for (const signal of signals) {
    if (runsFirst) process.prependListener(signal, onSignal)
    else process.on(signal, onSignal)
  }
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
}

/** Ends this process by the signal. The caller has removed its listeners, so that Node's default action applies. */
export function endBySignal(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal)
}

/** Those of this process that a signal has reached, and whose shutdown is not complete. */
const shuttingDown = new Set<ShutdownSignals>()

/**
 * Shuts something down at the first SIGINT or SIGTERM. The process ends by that signal once every shutdown of the process is
 * complete, so that none cuts another one off, and the sender finds the signal in the exit status.
 */
export class ShutdownSignals {
  readonly #stopListening: () => void
  #first: NodeJS.Signals | undefined

  /** `onRepeat` runs at every further signal. */
  constructor(onFirst: SignalHandler, onRepeat: SignalHandler) {
    this.#stopListening = listenForSignals(SHUTDOWN_SIGNALS, (signal) => {
      if (this.#first !== undefined) {
        onRepeat(signal)
        return
      }
      this.#first = signal
      shuttingDown.add(this)
      onFirst(signal)
    })
  }

  stop(): void {
    this.#stopListening()
    shuttingDown.delete(this)
  }

  /** The shutdown is complete: stops listening, and ends the process if a signal came and nothing else is still shutting down. */
  finish(): void {
    this.stop()
    if (this.#first !== undefined && shuttingDown.size === 0) endBySignal(this.#first)
  }
}
