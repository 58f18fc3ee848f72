// Reading what a peer sent: only an object's own members count, so `constructor` and `__proto__` are plain data.
import { isPlainObject } from '../../primitives/json/objects.ts'

export { isPlainObject as isObject }

/** The own member of an object; `undefined` where there is none or the value is no object. */
export function ownMember(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
