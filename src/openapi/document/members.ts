// Reads and writes members of objects from outside: own ones only, and none of the names that JavaScript gives a meaning.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'

export type Members = Record<string, unknown>

/** The member if it is an object; an empty one otherwise. */
export function objectAt(value: unknown, key: string): Members {
  const member = ownMember(value, key)
  return isPlainObject(member) ? member : {}
}

/** The member if it is a list; an empty one otherwise. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const member = ownMember(value, key)
  return Array.isArray(member) ? member : []
}

/** The member if it is a text that is not empty. */
export function textAt(value: unknown, key: string): string | undefined {
  const member = ownMember(value, key)
  return typeof member === 'string' && member !== '' ? member : undefined
}

/** Sets a member like any other, also `__proto__`. */
export function setMember(target: Members, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** One token of a JSON pointer. */
export function pointerToken(key: string | number): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1')
}

export function pointerTo(base: string, ...keys: readonly (string | number)[]): string {
  return [base, ...keys.map(pointerToken)].join('/')
}
