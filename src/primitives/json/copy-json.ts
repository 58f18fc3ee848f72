// A copy of a value as a peer behind a wire would get it, without writing the text.

/** Deeper values take the way through their text, which refuses those that hold themselves. */
const MAX_WALKED_DEPTH = 64

/**
 * What `JSON.parse(JSON.stringify(value))` gives: members that are undefined or functions vanish, `toJSON` is asked. Throws
 * `TypeError` where `JSON.stringify` does.
 */
export function copyJSON<T>(value: T): T {
  return (typeof value === 'object' && value !== null ? copyObject(value, MAX_WALKED_DEPTH) : copyOther(value)) as T
}

/** One function for objects and their members: few calls, and little for a runtime to compile. */
function copyObject(object: object, depthLeft: number): unknown {
  const isList = Array.isArray(object)
  if (depthLeft === 0 || !isPlain(object)) return throughText(object)
  if (isList) return copyList(object, depthLeft)
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(object)) {
    let member: unknown = (object as Record<string, unknown>)[key]
    if (typeof member === 'object' && member !== null) member = copyObject(member, depthLeft - 1)
    else if (typeof member !== 'string') member = copyOther(member)
    if (member === undefined) continue
    // Assigned, this one would not be a member like any other.
    if (key === '__proto__') Object.defineProperty(copied, key, { value: member, ...ORDINARY })
    else copied[key] = member
  }
  return copied
}

function copyList(items: readonly unknown[], depthLeft: number): unknown[] {
  const list: unknown[] = []
  for (let i = 0; i < items.length; i += 1) {
    const item = items[i]
    const copied = typeof item === 'object' && item !== null ? copyObject(item, depthLeft - 1) : copyOther(item)
    list.push(copied ?? null)
  }
  return list
}

/** Arrays, and objects without a `toJSON` of their own. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false
  return typeof (object as { toJSON?: unknown }).toJSON !== 'function'
}

/** Whatever is no object. */
function copyOther(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'object':
      return value
    case 'number':
      // Without its sign, zero is zero.
      return Number.isFinite(value) ? value + 0 : null
    case 'bigint':
      return throughText(value)
    default:
      return undefined
  }
}

const ORDINARY = { enumerable: true, configurable: true, writable: true }

function throughText(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}
