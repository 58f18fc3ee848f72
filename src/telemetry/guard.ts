// Telemetry never costs a call: what its API throws is caught here, and told once.
import type { FaultReporter } from '../dispatcher/fault.ts'

export class Guard {
  #faults: FaultReporter | undefined
  #hasTold = false

  /** Where a failure is told: to whoever's message is being observed. */
  tellTo(faults: FaultReporter): void {
    this.#faults = faults
  }

  /** What the work returns; `undefined` where it throws. */
  attempt<R>(work: () => R): R | undefined {
    try {
      return work()
    } catch (error) {
      this.#tell(error)
      return undefined
    }
  }

  #tell(error: unknown): void {
    if (this.#hasTold) return
    this.#hasTold = true
    const message = 'Telemetry failed: calls go on without it, and further failures are not told'
    this.#faults?.report({ kind: 'callback-failed', message, error })
  }
}
