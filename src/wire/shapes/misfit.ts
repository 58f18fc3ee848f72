// Says where and why a value does not fit, without repeating anything of the value.

/** A place that does not fit. Safe to show to anyone: it holds words of ours and member names only. */
export interface Misfit {
  /** Member names and array indexes, outermost first. */
  readonly path: (string | number)[]
  readonly expected: string
  /** The JSON type that was found, or a few words of ours. Never the content. */
  readonly got: string
}

/** Member names in a path can be the peer's own; what is longer than this is cut. */
const MAX_NAME_LENGTH = 64

export type JSONType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object'

/** The JSON type of a value; `undefined` for what JSON cannot say. */
export function jsonTypeOf(value: unknown): JSONType | undefined {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? 'array' : 'object'
    default:
      return undefined
  }
}

/** A misfit of the value itself; who looks inside a larger value adds the way to it. */
export function misfit(expected: string, value: unknown): Misfit {
  return { path: [], expected, got: describe(value) }
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  return jsonTypeOf(value) ?? `a ${typeof value}, which JSON does not have`
}

/** The path as a person writes it: `content[0].text`. Empty for the value itself. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map(formatStep).join('').replace(/^\./, '')
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  if (step.length > MAX_NAME_LENGTH) return `[${JSON.stringify(`${step.slice(0, MAX_NAME_LENGTH)}…`)}]`
  return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}

/** The misfit as the end of a sentence: `name: expected string, got number`. */
export function formatMisfit({ path, expected, got }: Misfit): string {
  const place = formatPath(path)
  return `${place === '' ? '' : `${place}: `}expected ${expected}, got ${got}`
}
