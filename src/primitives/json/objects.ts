// JSON objects: how to recognize them among JavaScript's objects, and how to read their own members only.

/** True for what JSON calls an object: not `null`, not an array. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Arguments of which nothing is known: an object, but no list. */
export type AnyArguments = { readonly [name: string]: unknown } | (object & { readonly [Symbol.iterator]?: never })

/** What arguments must be that are strings only, as those of prompts are. */
export type StringMembers<Arguments> = { readonly [Name in keyof Arguments]?: string }

/**
 * The own member of an object, so that `constructor` and `__proto__` are plain data; `undefined` where there is none or the value is no object.
 */
export function ownMember(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
