// The kinds of value that keywords take.

export interface ValueRule {
  /** Completes `must be …`. */
  readonly expected: string
  accepts(value: unknown): boolean
}

export const TYPE_NAMES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'] as const

export const NUMBER: ValueRule = {
  expected: 'a number',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value),
}

export const POSITIVE_NUMBER: ValueRule = {
  expected: 'a number greater than 0',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
}

export const COUNT: ValueRule = {
  expected: 'an integer of at least 0',
  accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
}

export const BOOLEAN: ValueRule = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' }

export const STRING: ValueRule = { expected: 'a string', accepts: (value) => typeof value === 'string' }

export const ARRAY: ValueRule = { expected: 'an array', accepts: Array.isArray }

export const ANYTHING: ValueRule = { expected: 'anything', accepts: () => true }

export const NAMES: ValueRule = { expected: 'an array of strings', accepts: isArrayOfStrings }

export const NAMES_BY_NAME: ValueRule = {
  expected: 'an object of arrays of strings',
  accepts: (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isArrayOfStrings),
}

export const TYPES: ValueRule = {
  expected: `one of ${TYPE_NAMES.join(', ')}, or a list of them`,
  accepts: (value) => isTypeName(value) || (Array.isArray(value) && value.length > 0 && value.every(isTypeName)),
}

/** RFC 3986 reference; only that it is a string is checked here, the rest when it is resolved. */
export const URI_REFERENCE: ValueRule = STRING

export const ANCHOR: ValueRule = {
  expected: 'a name of letters, digits, "-", "_" and "." that begins with a letter or "_"',
  accepts: (value) => typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
}

export function isArrayOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isTypeName(value: unknown): boolean {
  return (TYPE_NAMES as readonly unknown[]).includes(value)
}
