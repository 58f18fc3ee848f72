// One validation under way: what it has cost so far, which resources it is inside of, and what did not fit.
import { LimitError } from '../types/failures.ts'
import type { Issue } from './issue.ts'
import { createIssue } from './issue.ts'
import type { SchemaLimits } from './limits.ts'
import type { Resource } from './node.ts'
import type { Site } from './site.ts'

/** Something that did not fit. Its path is collected on the way out, so innermost key first. */
export interface Misfit {
  readonly site: Site
  readonly text: string
  readonly path: (string | number)[]
}

/** The dynamic scope: schema resources entered and not yet left, the innermost first, each one once. */
export interface Scope {
  readonly resource: Resource
  readonly outer: Scope | undefined
}

// A step is some tens of nanoseconds. The first look at the clock comes late, so that ordinary validations
// cost no clock and a stalled machine fails none of them.
const STEPS_BEFORE_FIRST_LOOK = 16_384
const STEPS_BETWEEN_LOOKS = 4_096

/** The state of one validation. Keywords pay here for their work and report here what does not fit. */
export class Run {
  /** True when the first misfit decides: nobody asked for issues, or enough were found. */
  stopsEarly = true
  misfits: Misfit[] = []
  scope: Scope | undefined = undefined
  readonly #limits: SchemaLimits
  #depth = 0
  #steps = 0
  #nextLook = STEPS_BEFORE_FIRST_LOOK
  #deadline: number | undefined = undefined

  constructor(limits: SchemaLimits) {
    this.#limits = limits
  }

  /** Makes the object as good as new. */
  start(collectsIssues: boolean): void {
    this.stopsEarly = !collectsIssues
    if (collectsIssues || this.misfits.length > 0) this.misfits = []
    this.scope = undefined
    this.#depth = 0
    this.#steps = 0
    this.#nextLook = STEPS_BEFORE_FIRST_LOOK
    this.#deadline = undefined
  }

  /** One level deeper, at the price of `weight` steps. Every recursion passes here, so none overflows the stack. */
  enter(weight: number): void {
    this.spend(weight)
    this.#depth += 1
    if (this.#depth > this.#limits.maxEvaluationDepth) this.#refuseDepth()
  }

  leave(): void {
    this.#depth -= 1
  }

  /** Pays for work that grows with the value or the schema. */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps >= this.#nextLook) this.#lookAtClock()
  }

  /** Records what did not fit, if anyone wants to know. Always false, to be returned. */
  report(site: Site, text: string): false {
    if (!this.stopsEarly) this.#add({ site, text, path: [] })
    return false
  }

  /** Says of the misfits found since `mark` that they are below `key`. */
  placeUnder(key: string | number, mark: number): void {
    for (let index = mark; index < this.misfits.length; index++) this.misfits[index]?.path.push(key)
  }

  /** Evaluates with misfits going to a list of their own; `undefined` when there are none. */
  collect(evaluate: () => boolean): Misfit[] | undefined {
    const { misfits, stopsEarly } = this
    this.misfits = []
    const fits = evaluate()
    const collected = this.misfits
    this.misfits = misfits
    this.stopsEarly = stopsEarly
    return fits ? undefined : collected
  }

  /** Takes over misfits that were collected apart. */
  adopt(misfits: readonly Misfit[]): void {
    for (const misfit of misfits) {
      if (this.stopsEarly) return
      this.#add(misfit)
    }
  }

  /** Evaluates without recording anything. */
  probe(evaluate: () => boolean): boolean {
    const { stopsEarly } = this
    this.stopsEarly = true
    const fits = evaluate()
    this.stopsEarly = stopsEarly
    return fits
  }

  takeIssues(): Issue[] {
    const { misfits } = this
    this.misfits = []
    return misfits.map(({ site, text, path }) => createIssue(text, path.reverse(), site))
  }

  #add(misfit: Misfit): void {
    this.misfits.push(misfit)
    if (this.misfits.length >= this.#limits.maxIssues) this.stopsEarly = true
  }

  #lookAtClock(): void {
    const now = performance.now()
    this.#deadline ??= now + this.#limits.maxValidationMs
    this.#nextLook = this.#steps + STEPS_BETWEEN_LOOKS
    if (now > this.#deadline) throw new LimitError('schema validation milliseconds', this.#limits.maxValidationMs)
  }

  #refuseDepth(): never {
    throw new LimitError('schema evaluation depth', this.#limits.maxEvaluationDepth)
  }
}
