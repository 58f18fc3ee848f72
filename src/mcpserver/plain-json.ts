// The JSON form of what a handler returns: what a peer in this process gets must be what one behind a wire would read.
import type { JSONForm } from '../server/finished-result.ts'

/** Deeper values take the way through their text, which is bounded by itself. */
const MAX_WALKED_DEPTH = 64

/** As `JSON.stringify` has it. What has no JSON form is a `TypeError`; bytes are one too, because nobody means their list. */
export function toJSONForm(value: unknown): JSONForm {
  const text = ArrayBuffer.isView(value) ? undefined : JSON.stringify(value)
  if (text === undefined) throw new TypeError(`It returned ${nameOf(value)}, which has no JSON form`)
  return { value: isPlainJSON(value, MAX_WALKED_DEPTH) ? value : JSON.parse(text), text }
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

function nameOf(value: unknown): string {
  return ArrayBuffer.isView(value) ? 'bytes' : `a ${typeof value}`
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
