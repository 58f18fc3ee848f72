// When two JSON values are the same one: by content, objects without regard to the order of their members.
import type { JSONObject } from '../types/json.ts'

/** Compares JSON values. Recursion is as deep as the shallower of the two. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]))
  return !Array.isArray(b) && haveEqualMembers(a as JSONObject, b as JSONObject)
}

function haveEqualMembers(a: JSONObject, b: JSONObject): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

/** Pays for one element of work and may refuse to go on; also told when the walk goes down and up. */
export interface Meter {
  enter(weight: number): void
  leave(): void
}

/**
 * A text that two JSON values share exactly when they are equal. With it, finding duplicates among
 * objects is one pass over a set, whatever hash collisions the other side would like to arrange.
 */
export function canonicalText(value: unknown, meter: Meter): string {
  if (typeof value === 'string') return JSON.stringify(value)
  // Adding zero turns -0 into 0, which JSON Schema holds to be the same number.
  if (typeof value === 'number') return String(value + 0)
  if (typeof value !== 'object' || value === null) return String(value)
  meter.enter(1)
  const text = Array.isArray(value) ? arrayText(value, meter) : objectText(value as JSONObject, meter)
  meter.leave()
  return text
}

function arrayText(array: unknown[], meter: Meter): string {
  return `[${array.map((item) => canonicalText(item, meter)).join()}]`
}

function objectText(object: JSONObject, meter: Meter): string {
  const members = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(object[key], meter)}`)
  return `{${members.join()}}`
}
