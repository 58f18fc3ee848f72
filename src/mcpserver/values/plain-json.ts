// The JSON form of what a handler returns: what a peer in this process gets must be what one behind a wire would read.
import type { JSONForm } from '../../server/results/respond.ts'

/** Deeper values take the way through their text, which is bounded by itself. */
const MAX_WALKED_DEPTH = 64

/** As `JSON.stringify` has it. What JSON cannot say is a `TypeError`. */
export function toJSONForm(value: unknown): JSONForm {
  if (isPlainJSON(value, MAX_WALKED_DEPTH)) return { value, text: JSON.stringify(value) }
  // Nobody wants the text of a large picture, number by number.
  if (ArrayBuffer.isView(value)) throw unsayable(value)
  // Before it is looked through, because this refuses what holds itself.
  const text = JSON.stringify(value)
  refuseUnsayable(value)
  if (text === undefined) throw unsayable(value)
  return { value: JSON.parse(text), text }
}

/**
 * Throws where JSON would put less than what is there: `null` for NaN, `{}` for a `Map`, a list of numbers for bytes. Members
 * that are undefined or methods are left out by custom, and whatever has a `toJSON` has said what it is.
 */
export function checkJSON(value: unknown): void {
  if (!isPlainJSON(value, MAX_WALKED_DEPTH)) refuseUnsayable(value)
}

function refuseUnsayable(value: unknown): void {
  switch (typeof value) {
    case 'number':
      if (Number.isFinite(value)) return
      throw unsayable(value)
    case 'bigint':
    case 'function':
    case 'symbol':
      throw unsayable(value)
    case 'object':
      if (value !== null) refuseWithin(value)
  }
}

function refuseWithin(object: object): void {
  if (ArrayBuffer.isView(object)) throw unsayable(object)
  if (typeof (object as { toJSON?: unknown }).toJSON === 'function') return
  const members = Object.values(object)
  if (object instanceof Error || (members.length === 0 && hidesContent(object))) throw unsayable(object)
  const isList = Array.isArray(object)
  for (const member of members) if (isList || typeof member !== 'function') refuseUnsayable(member)
}

/** Built-ins that JSON knows, by their tags. */
const OPEN_TAGS: ReadonlySet<string> = new Set(
  ['Object', 'Array', 'Number', 'String', 'Boolean'].map((name) => `[object ${name}]`),
)

/** Whether an object without members has something to tell all the same: a built-in such as a `Map`, or one with getters. */
function hidesContent(object: object): boolean {
  const tag = Object.prototype.toString.call(object)
  if (!OPEN_TAGS.has(tag)) return true
  return tag === '[object Object]' && hasGetters(Object.getPrototypeOf(object))
}

/** Those that every object inherits are not meant. */
function hasGetters(prototype: object | null): boolean {
  const parent = prototype === null ? null : Object.getPrototypeOf(prototype)
  if (prototype === null || parent === null) return false
  const descriptors = Object.values(Object.getOwnPropertyDescriptors(prototype))
  return descriptors.some(({ get }) => get !== undefined) || hasGetters(parent)
}

/** Whether reading the text would give the very same value. */
function isPlainJSON(value: unknown, depthLeft: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object':
      break
    default:
      return false
  }
  if (value === null) return true
  if (depthLeft === 0) return false
  if (Array.isArray(value)) return value.every((item) => isPlainJSON(item, depthLeft - 1))
  return isPlainObjectOfJSON(value, depthLeft)
}

function isPlainObjectOfJSON(object: object, depthLeft: number): boolean {
  if (Object.getPrototypeOf(object) !== Object.prototype) return false
  for (const key of Object.keys(object)) {
    if (!isPlainJSON((object as Record<string, unknown>)[key], depthLeft - 1)) return false
  }
  return true
}

function unsayable(value: unknown): TypeError {
  return new TypeError(
    `It returned ${nameOf(value)}, or something with that in it, which has no JSON form: return plain data instead`,
  )
}

function nameOf(value: unknown): string {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'bytes'
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' ? `a ${value?.constructor?.name}` : `a ${typeof value}`
}

/** A frozen copy of plain JSON, to be handed out any number of times. */
export function freezeJSON<T>(value: T): T {
  return freezeDeeply(JSON.parse(JSON.stringify(value)) as T)
}

function freezeDeeply<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freezeDeeply(member)
  return Object.freeze(value)
}
