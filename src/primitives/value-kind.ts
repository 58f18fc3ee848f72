// What kind of value an author gave, against the kind that it has to be: said where it is given, not where it breaks.

export type ValueKind = 'string' | 'number' | 'boolean' | 'function' | 'array' | 'object'

/** Throws `TypeError` for a value of another kind. `what` begins the sentence; `advice` ends it, as what to write instead. */
export function checkKind(what: string, value: unknown, kind: ValueKind, advice?: string): void {
  if (kindOf(value) === kind) return
  const remedy = advice === undefined ? '' : ` Write ${advice}.`
  throw new TypeError(`${what} must be ${withArticle(kind)}, not ${describeKind(value)}.${remedy}`)
}

/** The kind of a value, for messages, as in `a string`. */
export function describeKind(value: unknown): string {
  return value === null || value === undefined ? String(value) : withArticle(kindOf(value))
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function withArticle(kind: string): string {
  return /^[aou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}
