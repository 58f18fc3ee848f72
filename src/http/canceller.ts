// Gives up one request: what an AbortSignal does, whose making and listening cost a tenth of the request itself.
import type { PostRequest } from './poster.ts'

export class Canceller {
  #listener: (() => void) | undefined
  #isCancelled = false
  #reason: unknown

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  get reason(): unknown {
    return this.#reason
  }

  /** The first call counts. */
  cancel(reason: unknown): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    this.#reason = reason
    this.#listener?.()
  }

  /** Has one listener, the last one: a request is in one place at a time. Must not be cancelled yet. */
  listen(listener: () => void): void {
    this.#listener = listener
  }

  /** Takes this listener away, where it is still the one. */
  forget(listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined
  }
}

type GivenUp = Pick<PostRequest, 'signal' | 'canceller'>

/** Whether nobody waits for this request any more. */
export function isGivenUp({ signal, canceller }: GivenUp): boolean {
  return canceller?.isCancelled === true || signal?.aborted === true
}

/** Why, for a request of which `isGivenUp` holds. */
export function givenUpReason({ signal, canceller }: GivenUp): unknown {
  return canceller?.isCancelled === true ? canceller.reason : signal?.reason
}
