// The JSON form of what a handler returns, so that a client in the same process gets the same as one on a network.
import { withHelp } from '../../primitives/help.ts'
import type { JSONForm } from '../../server/results/respond.ts'

/** Deeper values are serialized and parsed again. */
const MAX_WALKED_DEPTH = 64

/** The value as `JSON.stringify` would write it. Throws `TypeError` for values without a JSON form. */
export function toJSONForm(value: unknown): JSONForm {
  if (isPlainJSON(value, MAX_WALKED_DEPTH)) return { value, text: JSON.stringify(value) }
  // JSON would write bytes as a list of numbers.
  if (ArrayBuffer.isView(value)) throw nonJSONError(value)
  // First, because it throws for circular values.
  const text = stringify(value)
  rejectNonJSON(value)
  if (text === undefined) throw nonJSONError(value)
  return { value: JSON.parse(text), text }
}

/** `JSON.stringify` itself throws for a bigint and for a value that contains itself. */
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('\n') : []
    const message = `The handler returned a value that has no JSON form: ${reason}. Return plain data instead.`
    throw withHelp('not-json', new TypeError(message, { cause }))
  }
}

/**
 * Throws where JSON would lose data: `null` for NaN, `{}` for a `Map`, a list of numbers for bytes. Members that are undefined or
 * functions may be left out, and a `toJSON` method is trusted.
 */
export function checkJSON(value: unknown): void {
  if (!isPlainJSON(value, MAX_WALKED_DEPTH)) rejectNonJSON(value)
}

function rejectNonJSON(value: unknown): void {
  switch (typeof value) {
    case 'number':
      if (Number.isFinite(value)) return
      throw nonJSONError(value)
    case 'bigint':
    case 'function':
    case 'symbol':
      throw nonJSONError(value)
    case 'object':
      if (value !== null) rejectNonJSONMembers(value)
  }
}

function rejectNonJSONMembers(object: object): void {
  if (ArrayBuffer.isView(object)) throw nonJSONError(object)
  if (typeof (object as { toJSON?: unknown }).toJSON === 'function') return
  const members = Object.values(object)
  if (object instanceof Error || (members.length === 0 && hidesContent(object))) throw nonJSONError(object)
  const isList = Array.isArray(object)
  for (const member of members) if (isList || typeof member !== 'function') rejectNonJSON(member)
}

/** Built-ins that JSON can write, by their tags. */
const OPEN_TAGS: ReadonlySet<string> = new Set(
  ['Object', 'Array', 'Number', 'String', 'Boolean'].map((name) => `[object ${name}]`),
)

/** Whether an object without own members has data all the same: a built-in such as a `Map`, or an object with getters. */
function hidesContent(object: object): boolean {
  const tag = Object.prototype.toString.call(object)
  if (!OPEN_TAGS.has(tag)) return true
  return tag === '[object Object]' && hasGetters(Object.getPrototypeOf(object))
}

/** Not those that every object inherits. */
function hasGetters(prototype: object | null): boolean {
  const parent = prototype === null ? null : Object.getPrototypeOf(prototype)
  if (prototype === null || parent === null) return false
  const descriptors = Object.values(Object.getOwnPropertyDescriptors(prototype))
  return descriptors.some(({ get }) => get !== undefined) || hasGetters(parent)
}

/** Whether the value is the same after `JSON.stringify` and `JSON.parse`. */
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
  const keys = Object.keys(object)
  for (let index = 0; index < keys.length; index++) {
    if (!isPlainJSON((object as Record<string, unknown>)[keys[index] as string], depthLeft - 1)) return false
  }
  return true
}

function nonJSONError(value: unknown): TypeError {
  return withHelp(
    'not-json',
    new TypeError(
      `The handler returned ${nonJSONName(value)}, or a value that contains it, which has no JSON form. Return plain data instead.`,
    ),
  )
}

function nonJSONName(value: unknown): string {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'bytes'
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' ? `a ${value?.constructor?.name}` : `a ${typeof value}`
}

/** A frozen copy of plain JSON, which can be shared. */
export function freezeJSON<T>(value: T): T {
  return freezeDeeply(JSON.parse(JSON.stringify(value)) as T)
}

function freezeDeeply<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freezeDeeply(member)
  return Object.freeze(value)
}
