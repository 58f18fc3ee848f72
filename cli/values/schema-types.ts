// What a JSON Schema wants, as far as a command line can tell: types, choices, members. A schema of a server may be anything.
import { isPlainObject } from '../terminal/primitives.ts'

export type Schema = Record<string, unknown>

const MAX_STEPS = 32

/** The schema that a local `$ref` leads to; the schema itself where there is none. */
export function resolveRef(schema: unknown, root: unknown): Schema {
  let found: unknown = schema
  for (let step = 0; step < MAX_STEPS && isPlainObject(found); step += 1) {
    const ref = found['$ref']
    if (typeof ref !== 'string') return found
    found = followPointer(root, ref)
  }
  return {}
}

function followPointer(root: unknown, ref: string): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  const keys = ref.slice(2).split('/').map(decodeKey)
  return keys.reduce<unknown>((value, key) => memberOf(value, key), root)
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return key
  }
}

function memberOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)] as unknown
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The alternatives of a schema, each resolved: of `anyOf` and `oneOf`, or the schema alone. */
export function alternativesOf(schema: Schema, root: unknown, depth = 0): Schema[] {
  const lists = [schema['anyOf'], schema['oneOf']].filter(Array.isArray) as unknown[][]
  if (lists.length === 0 || depth > 4) return [schema]
  return lists.flat().flatMap((each) => alternativesOf(resolveRef(each, root), root, depth + 1))
}

/** The values of `enum` or `const`; `undefined` where any value may do. */
export function choicesOf(schema: Schema): unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']]
  return Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : undefined
}

/** The names of types; empty where any type may do. */
export function typesOf(schema: Schema): string[] {
  return [schema['type']].flat().filter((type): type is string => typeof type === 'string')
}

export function propertiesOf(schema: Schema, root: unknown): Map<string, unknown> {
  const own = isPlainObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const parts = Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : []
  return new Map([
    ...parts.slice(0, MAX_STEPS).flatMap((part) => {
      const { properties } = resolveRef(part, root)
      return isPlainObject(properties) ? Object.entries(properties) : []
    }),
    ...own,
  ])
}

export function requiredOf(schema: Schema): Set<string> {
  const { required } = schema
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [])
}

/** Whether the schema says that names beyond its own are welcome. */
export function takesOtherNames(schema: Schema): boolean {
  const { additionalProperties, patternProperties } = schema
  if (isPlainObject(patternProperties)) return true
  return additionalProperties === true || isPlainObject(additionalProperties)
}
