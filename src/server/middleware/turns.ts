// Requests that wait for their turn: first come, first served.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'

export class Turns {
  readonly #waiting = new Set<Deferred<void>>()

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves at its turn. Rejects with the signal's reason when that aborts first. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason
    const turn = createDeferred()
    const leave = () => {
      if (this.#waiting.delete(turn)) turn.reject(signal.reason)
    }
    this.#waiting.add(turn)
    listenForAbort(signal, leave)
    try {
      await turn.promise
    } finally {
      forgetAbort(signal, leave)
    }
  }

  /** It is the turn of whoever waits longest. False where nobody waits. */
  callNext(): boolean {
    const [first] = this.#waiting
    if (first === undefined) return false
    this.#waiting.delete(first)
    first.resolve()
    return true
  }
}
