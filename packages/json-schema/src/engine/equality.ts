// When two JSON values are equal, by content and without regard to the order of members; and sets of such values.
import type { JSONObject } from './json-schema.ts'
import {
  compareSteps,
  copySteps,
  type DepthMeter,
  ENTRY,
  hashSteps,
  type Meter,
  memberSteps,
  sortSteps,
  TURN,
  UNMETERED,
} from './steps.ts'

/** Compares JSON values. Recursion is as deep as the shallower of the two. */
export function isEqual(a: unknown, b: unknown, meter: Meter = UNMETERED): boolean {
  if (typeof a === 'string') {
    if (typeof b !== 'string' || a.length !== b.length) return false
    meter.spend(compareSteps(a.length))
    return a === b
  }
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && haveEqualItems(a, b, meter)
  return !Array.isArray(b) && haveEqualMembers(a as JSONObject, b as JSONObject, meter)
}

function haveEqualItems(a: unknown[], b: unknown[], meter: Meter): boolean {
  if (a.length !== b.length) return false
  meter.spend(a.length * TURN)
  return a.every((item, i) => isEqual(item, b[i], meter))
}

function haveEqualMembers(a: JSONObject, b: JSONObject, meter: Meter): boolean {
  const keys = Object.keys(a)
  const others = Object.keys(b).length
  meter.spend(TURN + memberSteps(keys.length) + memberSteps(others))
  if (keys.length !== others) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], meter))
}

/**
 * A text that two JSON values share exactly when they are equal. With it, finding duplicates among
 * objects is one pass over a set, whatever hash collisions the other side would like to arrange.
 */
export function canonicalText(value: unknown, meter: DepthMeter, write: (text: string) => string = asJSON): string {
  if (typeof value === 'string') {
    meter.spend(TURN + copySteps(value.length))
    return write(value)
  }
  // Adding zero turns -0 into 0, which JSON Schema holds to be the same number.
  if (typeof value === 'number') {
    meter.spend(NUMBER_TEXT)
    return String(value + 0)
  }
  if (typeof value !== 'object' || value === null) return String(value)
  meter.enter(TURN)
  const text = Array.isArray(value) ? arrayText(value, meter, write) : objectText(value as JSONObject, meter, write)
  meter.leave()
  return text
}

/** A number as text: all digits of a fraction have to be found. */
const NUMBER_TEXT = 24

/** JSON needs no length before a text; but to escape what it must takes many times as long as to copy. */
export function asCounted(text: string): string {
  return `${text.length}"${text}`
}

function asJSON(text: string): string {
  return JSON.stringify(text)
}

function arrayText(array: unknown[], meter: DepthMeter, write: (text: string) => string): string {
  meter.spend(array.length * TURN)
  return `[${array.map((item) => canonicalText(item, meter, write)).join()}]`
}

function objectText(object: JSONObject, meter: DepthMeter, write: (text: string) => string): string {
  const keys = Object.keys(object)
  meter.spend(memberSteps(keys.length) + sortSteps(keys.length))
  const members = keys
    .filter((key) => object[key] !== undefined)
    .sort()
    .map((key) => {
      meter.spend(TURN + copySteps(key.length))
      return `${write(key)}:${canonicalText(object[key], meter, write)}`
    })
  return `{${members.join()}}`
}

/** V8 takes the length of a longer text for its hash: in a set, all texts of one length would meet in one place. */
const MAX_HASHED_LENGTH = 16_383

export class DistinctValues {
  readonly #primitives = new Set<unknown>()
  readonly #texts = new DistinctTexts()
  readonly #composites = new DistinctTexts()

  /** Whether an equal value is there. */
  has(value: unknown, meter: DepthMeter): boolean {
    meter.spend(ENTRY)
    if (typeof value === 'string') return this.#texts.has(value, meter)
    if (typeof value !== 'object' || value === null) return this.#primitives.has(value)
    return this.#composites.has(canonicalText(value, meter, asCounted), meter)
  }

  /** Whether an equal value was there before. */
  add(value: unknown, meter: DepthMeter): boolean {
    meter.spend(ENTRY)
    if (typeof value === 'string') return this.#texts.add(value, meter)
    if (typeof value === 'object' && value !== null) {
      return this.#composites.add(canonicalText(value, meter, asCounted), meter)
    }
    const isKnown = this.#primitives.has(value)
    if (!isKnown) this.#primitives.add(value)
    return isKnown
  }
}

class DistinctTexts {
  readonly #hashed = new Set<string>()
  /** The long ones by their length. */
  readonly #long = new Map<number, string[]>()

  has(text: string, meter: DepthMeter): boolean {
    if (text.length > MAX_HASHED_LENGTH) return isAmong(this.#long.get(text.length) ?? [], text, meter)
    meter.spend(hashSteps(text.length))
    return this.#hashed.has(text)
  }

  add(text: string, meter: DepthMeter): boolean {
    if (this.has(text, meter)) return true
    const { length } = text
    if (length <= MAX_HASHED_LENGTH) this.#hashed.add(text)
    else if (this.#long.get(length)?.push(text) === undefined) this.#long.set(length, [text])
    return false
  }
}

function isAmong(texts: readonly string[], text: string, meter: DepthMeter): boolean {
  for (const other of texts) {
    meter.spend(TURN + compareSteps(text.length))
    if (other === text) return true
  }
  return false
}
