// Whether the properties of a body can stand among the arguments, and which these are.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { Place } from '../document/library.ts'
import { type Members, pointerTo } from '../document/members.ts'
import type { SchemaConverter } from '../schemas/converter.ts'

export interface FlatBody {
  readonly properties: ReadonlyMap<string, Place>
  readonly required: readonly string[]
  readonly dependentRequired: Members | undefined
  /** The schema of other properties, where the document allows them in so many words. */
  readonly additional: Place | undefined
}

const MAX_NESTING = 16
const MAX_PARTS = 200

/** Rules about the object as a whole, which properties among others could not keep. */
const RULES: readonly string[] = [
  ...['oneOf', 'anyOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'patternProperties', 'propertyNames'],
  ...['unevaluatedProperties', 'minProperties', 'maxProperties', '$dynamicRef', 'const', 'enum'],
]

interface Gathering {
  readonly properties: Map<string, Place>
  readonly required: Set<string>
  readonly dependent: Members
  additional: Place | undefined
  isClosed: boolean
  parts: number
}

/** `undefined` for a body that has to be one argument. */
export function flatten(converter: SchemaConverter, schema: Place): FlatBody | undefined {
  const all: Gathering = {
    properties: new Map(),
    required: new Set(),
    dependent: {},
    additional: undefined,
    isClosed: false,
    parts: 0,
  }
  if (!gather(converter, schema, all, 0) || all.properties.size === 0) return undefined
  const dropped = [...all.properties].filter(([, place]) => converter.isDropped(place, 'input')).map(([name]) => name)
  for (const name of dropped) {
    all.properties.delete(name)
    all.required.delete(name)
  }
  const { properties, required, dependent, additional, isClosed } = all
  // What must be there and is described nowhere may be anything, or what the schema says of other properties.
  const free = all.additional ?? { ...schema, value: {} }
  for (const name of isClosed ? [] : required) if (!properties.has(name)) properties.set(name, free)
  return {
    properties,
    required: [...required].filter((name) => properties.has(name)),
    dependentRequired: Object.keys(dependent).length === 0 ? undefined : dependent,
    additional: isClosed ? undefined : additional,
  }
}

/** Adds what this schema says, and what `allOf` adds to it. False where that cannot be said flatly. */
function gather(converter: SchemaConverter, place: Place, all: Gathering, depth: number): boolean {
  all.parts += 1
  const { value, document, pointer } = converter.follow(place)
  if (!isPlainObject(value) || depth > MAX_NESTING || all.parts > MAX_PARTS) return false
  if (typeof value['$ref'] === 'string' || RULES.some((rule) => Object.hasOwn(value, rule)) || !mayBeObject(value))
    return false
  const { properties, required, additionalProperties, allOf, dependentRequired } = value
  if (isPlainObject(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      const found = { value: property, document, pointer: pointerTo(pointer, 'properties', name) }
      const other = all.properties.get(name)
      // One that is referred to twice need not be compared.
      if (other !== undefined && other.value !== property && JSON.stringify(other.value) !== JSON.stringify(property))
        return false
      all.properties.set(name, found)
    }
  }
  for (const name of Array.isArray(required) ? required : []) if (typeof name === 'string') all.required.add(name)
  if (isPlainObject(dependentRequired)) Object.assign(all.dependent, dependentRequired)
  if (additionalProperties === false) all.isClosed = true
  else if (additionalProperties === true || isPlainObject(additionalProperties)) {
    all.additional = { value: additionalProperties, document, pointer: pointerTo(pointer, 'additionalProperties') }
  }
  if (!Array.isArray(allOf)) return true
  return allOf.every((part, index) =>
    gather(converter, { value: part, document, pointer: pointerTo(pointer, 'allOf', index) }, all, depth + 1),
  )
}

function mayBeObject({ type }: Members): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
}
