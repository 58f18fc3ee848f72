// Whether this process should get requests from a balancer: its backend answers, and it is not about to stop.
import type { Backend } from '../../../backend/backend.ts'
import { monotonicNow, settlesWithin } from '../../../primitives/async/timer.ts'

/** How long the backend may take to answer. */
const ANSWER_MS = 5_000

/** An answer holds this long: anybody can ask, and must not be able to cause a trip each time. */
const FRESH_MS = 1_000

export class Readiness {
  readonly #backend: Backend | undefined
  #isDraining = false
  #isReady = false
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | undefined

  constructor(backend: Backend | undefined) {
    this.#backend = backend
  }

  /** From here on the answer is no. */
  drain(): void {
    this.#isDraining = true
  }

  /** Why no requests should come; `undefined` where they may. Never rejects. */
  async problem(): Promise<'draining' | 'backend unavailable' | undefined> {
    if (!this.#isDraining && this.#backend !== undefined && !(await this.#ask(this.#backend))) {
      return 'backend unavailable'
    }
    return this.#isDraining ? 'draining' : undefined
  }

  #ask(backend: Backend): Promise<boolean> | boolean {
    if (monotonicNow() - this.#askedAt < FRESH_MS) return this.#isReady
    this.#asking ??= this.#look(backend).finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #look(backend: Backend): Promise<boolean> {
    let isReady = false
    const asking = backend.health().then((health) => {
      isReady = health.isReady
    })
    await settlesWithin(asking, ANSWER_MS)
    this.#isReady = isReady
    this.#askedAt = monotonicNow()
    return isReady
  }
}
