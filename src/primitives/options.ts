// The check of options, where they are given: unknown keys, with the key that was meant; values of another kind; numbers out
// of range.
import { withHelp } from './help.ts'
import { quoteShort } from './quote.ts'

/**
 * Every key of an options type and no other: the compiler holds the list against the type. Values are held to the kind that is
 * given; `true` leaves that to the code that reads them.
 */
export type KnownKeys<Options> = Readonly<Record<KeysOf<Options>, true | ValueKind>>

type KeysOf<Options> = Options extends unknown ? keyof Options & string : never

export interface KeyAdvice {
  /** What to do about a key that has another name by now, or belongs elsewhere, as whole sentences. */
  readonly [key: string]: string
}

/**
 * Throws `TypeError` for options that are no object, for the first key that is not known, and for the first value of another
 * kind. `owner` is what takes the options, as in `limitTime()`. `otherwise` is added for a key that resembles none.
 */
export function checkKeys<Options extends object>(
  owner: string,
  options: Options,
  known: KnownKeys<Options>,
  advice?: KeyAdvice,
  otherwise?: string,
): void {
  checkObject(owner, options)
  for (const [key, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, key)) throw unknownKey(owner, key, known, advice, otherwise)
    const kind = known[key as keyof typeof known]
    if (kind !== true && value !== undefined) checkKind(`The option ${key} of ${owner}`, value, kind)
  }
}

/** Throws `TypeError` for options that are no object. */
export function checkObject(owner: string, options: unknown): void {
  if (kindOf(options) === 'object') return
  throw wrongOption(new TypeError(`The options of ${owner} must be an object, not ${describeKind(options)}.`))
}

/** As `checkKeys`, for options that may be left out or be `true` or `false` instead. */
export function checkNestedKeys<Options extends object>(
  owner: string,
  options: Options | boolean | undefined,
  known: KnownKeys<Options>,
): void {
  if (options !== undefined && typeof options !== 'boolean') checkKeys(owner, options, known)
}

/** Options with what is neither left out nor `undefined`. */
export type Decided<Options> = { readonly [Key in keyof Options]-?: Exclude<Options[Key], undefined> }

/** A copy without what is `undefined`: it is not given, so that a default stays. */
export function givenOf<Options extends object>(options: Options): Given<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<Options>
}

/** Some of the members. One that is `undefined` is not given, as if it were not there. */
export type Some<All> = { [Key in keyof All]?: All[Key] | undefined }

type Given<Options> = { [Key in keyof Options]: Exclude<Options[Key], undefined> }

/** A copy with the known keys alone, for a part that gets only its own options. What is `undefined` is not given, so that a default stays. */
export function pickKeys<Part extends object>(options: Part, known: KnownKeys<Part>): Part {
  const entries = Object.entries(options).filter(([key, value]) => value !== undefined && Object.hasOwn(known, key))
  return Object.fromEntries(entries) as Part
}

const MAX_COMPARED = 60
const MAX_LISTED = 16
const MIN_BEGINNING = 4

function unknownKey(
  owner: string,
  key: string,
  known: object,
  advice: KeyAdvice = {},
  otherwise: string | undefined,
): TypeError {
  const remedy = Object.hasOwn(advice, key) ? advice[key] : knownKeys(key, known, otherwise)
  return withHelp('unknown-option', new TypeError(`Unknown option ${quoteShort(key)} for ${owner}. ${remedy}`))
}

function knownKeys(key: string, known: object, otherwise: string | undefined): string {
  const names = Object.keys(known)
  const nearest = nearestKey(key, names)
  if (nearest === undefined) return 'It has no options.'
  if (isNear(key, nearest)) return `The nearest known option is ${quoteShort(nearest)}.`
  const more = names.length > MAX_LISTED ? ', …' : ''
  const list = names.slice(0, MAX_LISTED).join(', ') + more
  return `Known options: ${list}.${otherwise === undefined ? '' : ` ${otherwise}`}`
}

/** The name that takes the fewest changes to get to; the first of several. */
export function nearestKey(key: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined
  let least = Infinity
  for (const name of names) {
    const distance = editDistance(key, name)
    if (distance >= least) continue
    nearest = name
    least = distance
  }
  return nearest
}

/** A third of the letters may differ: more than that is another word. A beginning of some length is a name cut short. */
function isNear(key: string, name: string): boolean {
  const [shorter, longer] = key.length < name.length ? [key, name] : [name, key]
  if (shorter.length >= MIN_BEGINNING && longer.toLowerCase().startsWith(shorter.toLowerCase())) return true
  return editDistance(key, name) <= Math.max(1, Math.floor(longer.length / 3))
}

/** Letters that are missing, too many, wrong or swapped. Case counts for less than a letter, and comes last. */
export function editDistance(from: string, to: string): number {
  const a = from.slice(0, MAX_COMPARED).toLowerCase()
  const b = to.slice(0, MAX_COMPARED).toLowerCase()
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, change)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      current.push(cost)
    }
    before = previous
    previous = current
  }
  const distance = previous[b.length] ?? 0
  return distance === 0 && from !== to ? 0.5 : distance
}

type ValueKind = 'string' | 'number' | 'boolean' | 'function' | 'array' | 'object'

/** Throws `TypeError` for a value of another kind. `what` begins the sentence; `advice` ends it, as what to write instead. */
export function checkKind(what: string, value: unknown, kind: ValueKind, advice?: string): void {
  if (kindOf(value) === kind) return
  const remedy = advice === undefined ? '' : ` Write ${advice}.`
  throw wrongOption(new TypeError(`${what} must be ${withArticle(kind)}, not ${describeKind(value)}.${remedy}`))
}

function wrongOption<Problem extends Error>(error: Problem): Problem {
  return withHelp('wrong-option', error)
}

/** The kind of a value, for messages, as in `a string`. */
export function describeKind(value: unknown): string {
  return value === null || value === undefined ? String(value) : withArticle(kindOf(value))
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function withArticle(kind: string): string {
  return /^[aou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

/** Throws `RangeError` for what is no number above zero. */
export function assertPositive(name: string, value: number): void {
  if (Number.isFinite(value) && value > 0) return
  throw wrongOption(new RangeError(`${name} is ${showNumber(value)}. Use a number above 0.`))
}

/** The limit itself, `Infinity` for none. Throws `RangeError` for zero, less, and `NaN`, as from a missing environment variable. */
export function checkLimit(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw wrongOption(new RangeError(`${name} is ${showNumber(value)}. Use a number above 0, or Infinity.`))
}

/** Throws `RangeError` for what is no whole number of at least `least`. */
export function assertCount(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw wrongOption(new RangeError(`${name} is ${showNumber(value)}. Use a whole number, ${least} or more.`))
}

/** Throws `RangeError` for what is no wait in milliseconds. `Infinity` waits for ever. */
export function assertDuration(name: string, value: number): void {
  if (typeof value === 'number' && value >= 0) return
  throw wrongOption(
    new RangeError(`${name} is ${showNumber(value)}. Use a number of milliseconds, 0 or more, or Infinity.`),
  )
}

/** A number as it is; of anything else only what kind it is. */
function showNumber(value: unknown): string {
  return typeof value === 'number' ? String(value) : describeKind(value)
}
