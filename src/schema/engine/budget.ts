// The steps that compiling one schema may take. Validating has its own, in `run`.
import { LimitError } from '../../types/errors/failures.ts'
import type { Meter } from './steps.ts'

export class Budget implements Meter {
  readonly #max: number
  #spent = 0

  constructor(max: number) {
    this.#max = max
  }

  get spent(): number {
    return this.#spent
  }

  spend(steps: number): void {
    this.#spent += steps
    if (this.#spent > this.#max) throw new LimitError('schema compilation steps', this.#max)
  }
}
