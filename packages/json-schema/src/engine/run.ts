// One validation under way: what it has cost so far, which resources it is inside of, and what did not fit.
import { LimitError } from './errors.ts'
import type { Issue } from './issue.ts'
import { createIssue } from './issue.ts'
import type { JSONObject } from './json-schema.ts'
import type { Site } from './keyword.ts'
import type { SchemaLimits } from './limits.ts'
import type { Resource } from './node.ts'
import { DETOUR, type DepthMeter, FAR_LOOKUP, memberSteps, TURN } from './steps.ts'

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
  /** How many there are, this one included. */
  readonly size: number
}

/** Objects of more members are asked for their names once, as long as nobody asks about another one in between. */
const LARGE_OBJECT = 1_000

/** The state of one validation. Keywords pay here for their work and report here what does not fit. */
export class Run implements DepthMeter {
  /** True when the first misfit decides: nobody asked for issues, or enough were found. */
  stopsEarly = true
  misfits: Misfit[] = []
  scope: Scope | undefined = undefined
  readonly #limits: SchemaLimits
  #depth = 0
  readonly #maxDepth: number
  readonly #maxSteps: number
  /** Always whole, which the engine counts faster. */
  #steps = 0
  #largeObject: object | undefined = undefined
  #namesOfLarge: readonly string[] = []

  constructor(limits: SchemaLimits) {
    this.#limits = limits
    this.#maxDepth = limits.maxEvaluationDepth
    this.#maxSteps = limits.maxValidationSteps
  }

  /** What has been done so far. */
  get steps(): number {
    return this.#steps
  }

  /** Makes the object as good as new. */
  start(): void {
    this.stopsEarly = true
    if (this.misfits.length > 0) this.misfits = []
    this.scope = undefined
    this.#depth = 0
    this.#steps = 0
  }

  /** The same validation once more, this time to find words. It goes on with the steps that are left. */
  startExplaining(): void {
    this.stopsEarly = false
    this.misfits = []
    this.scope = undefined
    this.#depth = 0
  }

  /** What was looked at is not kept. */
  end(): void {
    if (this.#largeObject === undefined) return
    this.#largeObject = undefined
    this.#namesOfLarge = []
  }

  /** One level deeper, at the price of `weight` steps. Every recursion passes here, so none overflows the stack. */
  enter(weight: number): void {
    this.spend(weight)
    this.#depth += 1
    if (this.#depth > this.#maxDepth) this.#rejectDepth()
  }

  leave(): void {
    this.#depth -= 1
  }

  /** Pays for work that grows with the value or the schema. */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.#maxSteps) this.#rejectSteps()
  }

  /** The names of an object's own members, which may be `undefined`; to look at each is paid for. */
  namesOf(object: JSONObject): readonly string[] {
    if (object === this.#largeObject) {
      this.spend(this.#namesOfLarge.length * FAR_LOOKUP)
      return this.#namesOfLarge
    }
    const names = Object.keys(object)
    this.spend(memberSteps(names.length))
    if (names.length > LARGE_OBJECT) {
      this.#largeObject = object
      this.#namesOfLarge = names
    }
    return names
  }

  /** The names that were listed before, where an object has so many that it must not be gone through again. */
  listedNamesOf(object: JSONObject): readonly string[] | undefined {
    return object === this.#largeObject ? this.#namesOfLarge : undefined
  }

  /** Records what did not fit, if anyone wants to know. Always false, to be returned. */
  report(site: Site, text: string): false {
    if (!this.stopsEarly) this.#add({ site, text, path: [] })
    return false
  }

  /** Says of the misfits found since `mark` that they are below `key`. */
  placeUnder(key: string | number, mark: number): void {
    this.spend((this.misfits.length - mark) * TURN)
    for (let index = mark; index < this.misfits.length; index++) this.misfits[index]?.path.push(key)
  }

  /** Evaluates with misfits going to a list of their own; `undefined` when there are none. */
  collect(evaluate: () => boolean): Misfit[] | undefined {
    this.spend(DETOUR)
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
    this.spend(DETOUR)
    const { stopsEarly } = this
    this.stopsEarly = true
    const fits = evaluate()
    this.stopsEarly = stopsEarly
    return fits
  }

  takeIssues(): Issue[] {
    const { misfits } = this
    this.misfits = []
    return misfits.map(({ site, text, path }) => {
      // Each character may have to be escaped.
      for (const key of path) this.spend(DETOUR + 2 * String(key).length)
      return createIssue(text, path.reverse(), site)
    })
  }

  #add(misfit: Misfit): void {
    this.misfits.push(misfit)
    if (this.misfits.length >= this.#limits.maxIssues) this.stopsEarly = true
  }

  #rejectSteps(): never {
    throw new LimitError('schema validation steps', this.#maxSteps)
  }

  #rejectDepth(): never {
    throw new LimitError('schema evaluation depth', this.#maxDepth)
  }
}
