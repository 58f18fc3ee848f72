// Reads types and subschemas of a JSON Schema, as far as they are written there or in a local reference.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { JSONSchemaObject } from '../../schema/json-schema.ts'

export interface SchemaReader {
  /** The types that a value may have; `integer` counts as `number`. */
  types(schema: unknown): ReadonlySet<string>
  /** The schema of a property; `undefined` where the alternatives disagree. */
  property(schema: unknown, name: string): unknown
  /** The properties that have a schema; `undefined` if there is a schema for properties of any name. */
  propertyNames(schema: unknown): readonly string[] | undefined
  /** Whether items have a schema. */
  hasItems(schema: unknown): boolean
  /** The schema of an item; `undefined` where the alternatives disagree. */
  item(schema: unknown, index: number): unknown
}

const MAX_REFERENCES = 32
/** Schemas with more parts than this are read only in part. */
const MAX_PARTS = 64

/** A reader for one schema. It caches what it has read. */
export function createSchemaReader(root: JSONSchemaObject): SchemaReader {
  const partsBySchema = new WeakMap<object, readonly object[]>()
  const namesBySchema = new WeakMap<object, readonly string[] | 'any'>()
  const typesBySchema = new WeakMap<object, ReadonlySet<string>>()

  const partsOf = (schema: unknown): readonly object[] => {
    if (!isPlainObject(schema)) return []
    const known = partsBySchema.get(schema)
    if (known !== undefined) return known
    const parts = new Set<object>()
    collectParts(schema, root, parts, MAX_REFERENCES)
    const list = [...parts]
    partsBySchema.set(schema, list)
    return list
  }
  const only = (schema: unknown, find: (part: object) => unknown): unknown => {
    const found = new Set(partsOf(schema).map(find))
    found.delete(undefined)
    return found.size === 1 ? [...found][0] : undefined
  }

  return {
    types(schema) {
      if (!isPlainObject(schema)) return new Set()
      const known = typesBySchema.get(schema)
      if (known !== undefined) return known
      const types = new Set(partsOf(schema).flatMap(typesIn))
      typesBySchema.set(schema, types)
      return types
    },
    property: (schema, name) =>
      only(schema, (part) => ownMember(ownMember(part, 'properties'), name) ?? otherProperties(part)),
    propertyNames(schema) {
      if (!isPlainObject(schema)) return []
      let names = namesBySchema.get(schema)
      if (names === undefined) {
        names = namesIn(partsOf(schema)) ?? 'any'
        namesBySchema.set(schema, names)
      }
      return names === 'any' ? undefined : names
    },
    hasItems: (schema) =>
      partsOf(schema).some((part) => Object.hasOwn(part, 'items') || Object.hasOwn(part, 'prefixItems')),
    item: (schema, index) => only(schema, (part) => itemIn(part, index)),
  }
}

/** With `patternProperties` it is not clear which schema applies to a name. */
function otherProperties(part: object): unknown {
  return Object.hasOwn(part, 'patternProperties') ? undefined : ownMember(part, 'additionalProperties')
}

function namesIn(parts: readonly object[]): readonly string[] | undefined {
  if (parts.some((part) => isPlainObject(otherProperties(part)))) return undefined
  const names = new Set<string>()
  for (const part of parts) {
    const properties = ownMember(part, 'properties')
    if (isPlainObject(properties)) for (const name of Object.keys(properties)) names.add(name)
  }
  return [...names]
}

/** The schema itself, its reference, and all schemas that it combines. */
function collectParts(schema: unknown, root: JSONSchemaObject, parts: Set<object>, referencesLeft: number): void {
  if (!isPlainObject(schema) || parts.has(schema) || parts.size >= MAX_PARTS) return
  parts.add(schema)
  if (referencesLeft === 0) return
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const options = ownMember(schema, keyword)
    if (!Array.isArray(options)) continue
    for (const option of options) collectParts(option, root, parts, referencesLeft - 1)
  }
  const reference = ownMember(schema, '$ref')
  if (typeof reference === 'string')
    collectParts(resolveLocalReference(reference, root), root, parts, referencesLeft - 1)
}

function resolveLocalReference(reference: string, root: JSONSchemaObject): unknown {
  const [hash, keyword, name, ...rest] = reference.split('/')
  if (hash !== '#' || (keyword !== '$defs' && keyword !== 'definitions') || name === undefined || rest.length > 0)
    return
  return ownMember(ownMember(root, keyword), name)
}

function typesIn(part: object): string[] {
  const type = ownMember(part, 'type')
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string')
  return names.map((name) => (name === 'integer' ? 'number' : name))
}

function itemIn(part: object, index: number): unknown {
  const first = ownMember(part, 'prefixItems')
  if (Array.isArray(first) && index < first.length) return first[index]
  return ownMember(part, 'items')
}
