// A copy of a value as a peer behind a wire would get it, without writing the text.

/** Deeper values take the way through their text, which refuses those that hold themselves. */
const MAX_WALKED_DEPTH = 64

/**
 * What `JSON.parse(JSON.stringify(value))` gives: members that are undefined or functions vanish, `toJSON` is asked. Throws
 * `TypeError` where `JSON.stringify` does.
 */
export function copyJSON<T>(value: T): T {
  return copy(value, MAX_WALKED_DEPTH) as T
}

function copy(value: unknown, depthLeft: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      // Without its sign, zero is zero.
      return Number.isFinite(value) ? value + 0 : null
    case 'object':
      if (value === null) return null
      return depthLeft > 0 && isPlain(value) ? copyMembers(value, depthLeft - 1) : throughText(value)
    case 'bigint':
      return throughText(value)
    default:
      return undefined
  }
}

/** Arrays, and objects without a `toJSON` of their own. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false
  return typeof (object as { toJSON?: unknown }).toJSON !== 'function'
}

function copyMembers(object: object, depthLeft: number): unknown {
  if (Array.isArray(object)) {
    const list: unknown[] = []
    for (let i = 0; i < object.length; i += 1) list.push(copy(object[i], depthLeft) ?? null)
    return list
  }
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(object)) {
    const member = copy((object as Record<string, unknown>)[key], depthLeft)
    if (member === undefined) continue
    // Assigned, this one would not be a member like any other.
    if (key === '__proto__') Object.defineProperty(copied, key, { value: member, ...ORDINARY })
    else copied[key] = member
  }
  return copied
}

const ORDINARY = { enumerable: true, configurable: true, writable: true }

function throughText(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}
