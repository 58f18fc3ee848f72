// Tells the further rounds of a call from new calls: in the modern era, a call that asks is sent once more with each answer.
import type { ServerRequestContext } from '../context.ts'

/** Enough of a sealed state to know it again, from both ends: a state can be long. */
const MAX_END_LENGTH = 64

/**
 * A further round brings a sealed state that has been verified, and brings it for the first time: otherwise whoever has one could
 * send it again and again, and never be counted. Of the states that were brought the latest are remembered.
 */
export class Rounds {
  readonly #maxStates: number
  readonly #brought = new Set<string>()

  constructor(maxStates: number) {
    this.#maxStates = maxStates
  }

  /** Whether the request goes on with a call that was counted. To be asked once for each request. */
  isFurther({ resumedFrom }: Pick<ServerRequestContext, 'resumedFrom'>): boolean {
    if (resumedFrom === undefined) return false
    const state = shorten(resumedFrom)
    if (this.#brought.has(state)) return false
    this.#brought.add(state)
    if (this.#brought.size > this.#maxStates) this.#forgetOldest()
    return true
  }

  #forgetOldest(): void {
    for (const state of this.#brought) {
      this.#brought.delete(state)
      return
    }
  }
}

function shorten(state: string): string {
  return state.length > 2 * MAX_END_LENGTH ? state.slice(0, MAX_END_LENGTH) + state.slice(-MAX_END_LENGTH) : state
}
