// When a run of a handler that asks is looked at: at the end of a turn of the event loop, and when its patience is over.
import { callNextTurn } from '../../primitives/async/next-turn.ts'
import { MAX_TIMER_MS, type Timer } from '../../primitives/async/timer.ts'

export interface TurnListener {
  onTurnEnd(): void
  onPatienceEnd(): void
}

/** The two waits of a run: for the end of the present turn, and for answered questions to be asked again. */
export class Turns {
  readonly #listener: TurnListener
  readonly #patienceMs: number
  #cancelTurn: (() => void) | undefined
  #patience: Timer | undefined

  constructor(listener: TurnListener, patienceMs: number) {
    this.#listener = listener
    this.#patienceMs = patienceMs
  }

  /** Ends the turn once all promises that are settled by now have called back. */
  endSoon(): void {
    this.#cancelTurn ??= callNextTurn(() => {
      this.#cancelTurn = undefined
      this.#listener.onTurnEnd()
    })
  }

  /** Every end of a turn starts the time again. */
  startPatience(): void {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.#listener.onPatienceEnd(), Math.min(this.#patienceMs, MAX_TIMER_MS))
  }

  stop(): void {
    this.#cancelTurn?.()
    clearTimeout(this.#patience)
  }
}
