// The two times of a run with open questions: the end of its turn, and how long it may take to come back to what was answered.
import { MAX_TIMER_MS, type Timer } from '../primitives/timer.ts'

export interface TurnListener {
  onTurnEnd(): void
  onImpatience(): void
}

export class Turns {
  readonly #listener: TurnListener
  readonly #patienceMs: number
  #turn: Timer | undefined
  #patience: Timer | undefined

  constructor(listener: TurnListener, patienceMs: number) {
    this.#listener = listener
    this.#patienceMs = patienceMs
  }

  /** Everything that is on its way by now still belongs to this turn. */
  endSoon(): void {
    this.#turn ??= setTimeout(() => {
      this.#turn = undefined
      this.#listener.onTurnEnd()
    }, 0)
  }

  /** Waits for a sign of life, which is whatever ends a turn. */
  waitPatiently(): void {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.#listener.onImpatience(), Math.min(this.#patienceMs, MAX_TIMER_MS))
  }

  stop(): void {
    clearTimeout(this.#turn)
    clearTimeout(this.#patience)
  }
}
