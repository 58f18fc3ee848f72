// The steps of connecting, as they happen.
import { STEP_NAMES, type Step, type StepName } from '../../protocol/state.ts'

export class ConnectSteps {
  #steps: readonly Step[] = STEP_NAMES.map((name) => ({ name, state: 'waiting' }))
  #startedAt = performance.now()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get all(): readonly Step[] {
    return this.#steps
  }

  /** All steps before it are done, or were not needed. */
  begin(name: StepName): void {
    const at = STEP_NAMES.indexOf(name)
    if (this.#steps[at]?.state !== 'waiting') return
    this.#steps = this.#steps.map((step, index) => {
      if (index < at && step.state === 'running') return { ...step, state: 'done', ms: this.#lap() }
      if (index < at && step.state === 'waiting') return { ...step, state: 'skipped' }
      return index === at ? { ...step, state: 'running' } : step
    })
    this.#onChange()
  }

  note(name: StepName, note: string): void {
    this.#steps = this.#steps.map((step) => (step.name === name ? { ...step, note } : step))
    this.#onChange()
  }

  finish(): void {
    this.#end('done')
  }

  fail(): void {
    this.#end('failed')
  }

  #end(state: 'done' | 'failed'): void {
    this.#steps = this.#steps.map((step) => (step.state === 'running' ? { ...step, state, ms: this.#lap() } : step))
    this.#onChange()
  }

  /** Since the step began. */
  #lap(): number {
    const now = performance.now()
    const ms = now - this.#startedAt
    this.#startedAt = now
    return Math.round(ms)
  }
}
