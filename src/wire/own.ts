// Reading what a peer sent: only an object's own members count, so `constructor` and `__proto__` are plain data.
import type { JSONObject } from '../types/json.ts'

export function isObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The own member of an object; `undefined` where there is none or the value is no object. */
export function ownMember(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
