// Most schemas are plain: types, members, items and bounds. Values that fit one are told here, without the validator, which is loaded
// for all others. A value that is not told to fit may fit all the same: that the validator says, and what is wrong.
import { isPlainObject, type JSONObject } from './engine/json-schema.ts'

/** Whether a value fits for sure. */
export type PlainCheck = (value: unknown) => boolean

/** One schema of a plan. What it does not limit is `undefined`; all have the same members, so that the walk stays quick. */
interface Plan {
  readonly types: number
  readonly members: ReadonlyMap<string, Plan> | undefined
  readonly required: readonly string[] | undefined
  /** Of members without a plan; `false` allows none. */
  readonly others: Plan | false | undefined
  readonly items: Plan | undefined
  readonly values: ReadonlySet<unknown> | undefined
  readonly minimum: number
  readonly maximum: number
  readonly above: number
  readonly below: number
  readonly minLength: number
  readonly maxLength: number
  readonly minItems: number
  readonly maxItems: number
}

const NULL = 1
const BOOLEAN = 2
const OBJECT = 4
const ARRAY = 8
const FRACTION = 16
const INTEGER = 32
const STRING = 64
const ALL = 127

const TYPES: ReadonlyMap<unknown, number> = new Map([
  ['null', NULL],
  ['boolean', BOOLEAN],
  ['object', OBJECT],
  ['array', ARRAY],
  ['number', FRACTION | INTEGER],
  ['integer', INTEGER],
  ['string', STRING],
])

const DIALECTS: ReadonlySet<unknown> = new Set([
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema#',
])

/** Keywords that check nothing, for tools and people. */
const NOTES: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
])

/** Names, values and schemas of a plan, and how deep they stand: what is larger is for the validator and its limits. */
const MAX_PARTS = 1_000
const MAX_DEPTH = 16
/** Values that one check looks at. */
const MAX_VISITS = 5_000

class NotPlain extends Error {}

/** `undefined` for a schema with anything else in it than the commonest keywords, also for one that is wrong. */
export function plainCheckOf(schema: unknown): PlainCheck | undefined {
  let plan: Plan
  try {
    plan = new Planner().plan(schema, 0)
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
  return (value) => {
    visits = MAX_VISITS
    return fits(plan, value)
  }
}

class Planner {
  #parts = 0

  plan(schema: unknown, depth: number): Plan {
    if (!isLiteral(schema) || depth > MAX_DEPTH) throw new NotPlain()
    this.#count(1)
    const plan: { -readonly [Key in keyof Plan]: Plan[Key] } = {
      types: ALL,
      members: undefined,
      required: undefined,
      others: undefined,
      items: undefined,
      values: undefined,
      minimum: -Infinity,
      maximum: Infinity,
      above: -Infinity,
      below: Infinity,
      minLength: 0,
      maxLength: Infinity,
      minItems: 0,
      maxItems: Infinity,
    }
    for (const keyword of Object.keys(schema)) {
      const given = schema[keyword]
      switch (keyword) {
        case 'type':
          plan.types = this.#types(given)
          break
        case 'properties':
          plan.members = this.#members(given, depth)
          break
        case 'required':
          plan.required = this.#list(given).map((name) => {
            if (typeof name !== 'string') throw new NotPlain()
            return name
          })
          break
        case 'additionalProperties':
          if (given !== true) plan.others = given === false ? false : this.plan(given, depth + 1)
          break
        case 'items':
          if (given !== true) plan.items = this.plan(given, depth + 1)
          break
        case 'enum':
          plan.values = this.#values(this.#list(given), plan.values)
          break
        case 'const':
          plan.values = this.#values([given], plan.values)
          break
        case 'minimum':
          plan.minimum = numberOf(given)
          break
        case 'maximum':
          plan.maximum = numberOf(given)
          break
        case 'exclusiveMinimum':
          plan.above = numberOf(given)
          break
        case 'exclusiveMaximum':
          plan.below = numberOf(given)
          break
        case 'minLength':
        case 'maxLength':
        case 'minItems':
        case 'maxItems':
          plan[keyword] = countOf(given)
          break
        case '$schema':
          if (depth > 0 || !DIALECTS.has(given)) throw new NotPlain()
          break
        default:
          if (!NOTES.has(keyword)) throw new NotPlain()
      }
    }
    return plan
  }

  #count(parts: number): void {
    this.#parts += parts
    if (this.#parts > MAX_PARTS) throw new NotPlain()
  }

  #list(given: unknown): readonly unknown[] {
    if (!Array.isArray(given)) throw new NotPlain()
    this.#count(given.length)
    return given
  }

  #types(given: unknown): number {
    const names = typeof given === 'string' ? [given] : this.#list(given)
    let types = 0
    for (const name of names) types |= TYPES.get(name) ?? 0
    if (types === 0 || !names.every((name) => TYPES.has(name))) throw new NotPlain()
    return types
  }

  #members(given: unknown, depth: number): ReadonlyMap<string, Plan> {
    if (!isLiteral(given)) throw new NotPlain()
    return new Map(Object.keys(given).map((name) => [name, this.plan(given[name], depth + 1)]))
  }

  /** Of `enum` and `const` beside each other the validator knows what is meant. */
  #values(given: readonly unknown[], before: ReadonlySet<unknown> | undefined): ReadonlySet<unknown> {
    const isComparable = (value: unknown) => value === null || ['string', 'boolean', 'number'].includes(typeof value)
    if (before !== undefined || !given.every(isComparable)) throw new NotPlain()
    return new Set(given)
  }
}

/** Not an object of a class: what those mean as a schema, the validator says. */
function isLiteral(value: unknown): value is JSONObject {
  if (!isPlainObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function numberOf(given: unknown): number {
  if (typeof given === 'number' && Number.isFinite(given)) return given
  throw new NotPlain()
}

function countOf(given: unknown): number {
  if (Number.isInteger(given) && (given as number) >= 0) return given as number
  throw new NotPlain()
}

/** What is left of `MAX_VISITS`. Checks do not overlap: nothing of a caller's runs in them but getters, which are no JSON. */
let visits = 0

function fits(plan: Plan, value: unknown): boolean {
  visits -= 1
  if (visits < 0) return false
  const { types, values } = plan
  if (values !== undefined && !values.has(value)) return false
  switch (typeof value) {
    case 'string':
      return (types & STRING) !== 0 && fitsText(plan, value)
    case 'number':
      return (types & (Number.isInteger(value) ? INTEGER : FRACTION)) !== 0 && fitsNumber(plan, value)
    case 'boolean':
      return (types & BOOLEAN) !== 0
    case 'object':
      if (value === null) return (types & NULL) !== 0
      if (Array.isArray(value)) return (types & ARRAY) !== 0 && fitsArray(plan, value)
      return (types & OBJECT) !== 0 && isPlainObject(value) && fitsObject(plan, value)
    default:
      return false
  }
}

function fitsNumber({ minimum, maximum, above, below }: Plan, value: number): boolean {
  return Number.isFinite(value) && value >= minimum && value <= maximum && value > above && value < below
}

/** A character may be two of JavaScript's. Only where that decides, the validator counts them. */
function fitsText({ minLength, maxLength }: Plan, { length }: string): boolean {
  return length <= maxLength && (minLength <= 1 ? length >= minLength : length >= minLength * 2)
}

function fitsArray({ items, minItems, maxItems }: Plan, value: readonly unknown[]): boolean {
  if (value.length < minItems || value.length > maxItems) return false
  if (items === undefined) return true
  for (let index = 0; index < value.length; index++) if (!fits(items, value[index])) return false
  return true
}

function fitsObject({ members, required, others }: Plan, value: Record<string, unknown>): boolean {
  if (required !== undefined) {
    for (let index = 0; index < required.length; index++) {
      const name = required[index] as string
      if (value[name] === undefined || !Object.hasOwn(value, name)) return false
    }
  }
  if (members === undefined && others === undefined) return true
  for (const name in value) {
    if (!Object.hasOwn(value, name)) return false
    const plan = members?.get(name) ?? others
    if (plan === undefined) continue
    // A member that is `undefined` is absent: that too the validator sorts out.
    if (plan === false || !fits(plan, value[name])) return false
  }
  return true
}
