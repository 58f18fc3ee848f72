// Unions in the schema of a field, however a schema library writes them: as alternatives, as values, as a list of types.
import { isPlainObject } from '../primitives/objects.ts'

/** The schema of one field, as its author or their library wrote it. */
export type Field = Readonly<Record<string, unknown>>

/** The alternatives of a field; `undefined` where it has none. */
export function armsOf({ anyOf, oneOf }: Field): readonly Field[] | undefined {
  const arms = anyOf ?? oneOf
  if (anyOf !== undefined && oneOf !== undefined) return undefined
  return Array.isArray(arms) && arms.every(isPlainObject) ? arms : undefined
}

export function mayBeNull(field: Field): boolean {
  const { type, enum: values } = field
  if (isNull(field) || (Array.isArray(values) && values.includes(null))) return true
  return (Array.isArray(type) && type.includes('null')) || armsOf(field)?.some(mayBeNull) === true
}

/** The same field for values that are not null. An alternative that is left alone becomes the field. */
export function withoutNull(field: Field): Field {
  if (isNull(field) || !mayBeNull(field)) return field
  const { anyOf: _anyOf, oneOf: _oneOf, default: initial, ...rest } = field
  const kept = initial === null || initial === undefined ? rest : { ...rest, default: initial }
  const arms = armsOf(field)
  if (arms !== undefined) {
    const others = arms.filter((arm) => !isNull(arm)).map(withoutNull)
    const [only, ...more] = others
    return only !== undefined && more.length === 0 ? { ...only, ...kept } : { ...kept, anyOf: others }
  }
  const { type, enum: values } = field
  return {
    ...kept,
    ...(Array.isArray(type) && { type: takeOnly(type.filter((each) => each !== 'null')) }),
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
  }
}

function isNull({ type, const: value }: Field): boolean {
  return type === 'null' || value === null
}

function takeOnly(list: readonly unknown[]): unknown {
  return list.length === 1 ? list[0] : list
}

/** What can be chosen, where a field allows a few values and nothing else: each as a schema with a `const`. */
export function optionsOf(field: Field): readonly Field[] | undefined {
  const { enum: values } = field
  if (field['const'] !== undefined) return [{ const: field['const'] }]
  if (Array.isArray(values)) return values.map((value) => ({ const: value }))
  const options = armsOf(field)?.map((arm) => (arm['const'] === undefined ? optionsOf(arm) : [arm]))
  return options?.every((option) => option !== undefined) ? options.flat() : undefined
}

/** The one type that all values of a field have, in the words of JSON Schema; `undefined` where there are several. */
export function typeOf(field: Field): unknown {
  const { type } = field
  if (type !== undefined) return Array.isArray(type) ? undefined : type
  const types = new Set(optionsOf(field)?.map((option) => typeof option['const']) ?? armsOf(field)?.map(typeOf))
  const [only] = types
  return types.size === 1 ? only : undefined
}
