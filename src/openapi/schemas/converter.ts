// Schemas of OpenAPI as JSON Schema 2020-12. References stay references: what they name becomes a definition, once.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { Library, LoadedDocument, Place } from '../document/library.ts'
import { type Members, pointerTo, setMember } from '../document/members.ts'
import { MappingProblem } from '../document/problem.ts'
import type { OpenAPIVersion } from '../document/version.ts'
import { DefinitionNames } from './definition-names.ts'
import { copyKeywords, isUsablePattern } from './keywords.ts'

/** What a schema describes: arguments of a tool, or its result. */
export type Direction = 'input' | 'output'

export type JSONSchema = Members | boolean

/** A converted schema with the definitions that it refers to by name. */
export interface Converted {
  readonly schema: JSONSchema
  readonly references: ReadonlySet<string>
  readonly notes: ReadonlySet<string>
  /** The length of its JSON text. */
  readonly size: number
  /** How many schemas it holds. */
  readonly count: number
}

/** Beyond this, a part becomes a definition of its own: engines bound how deep schemas stand in schemas. */
const MAX_INLINE_DEPTH = 20
const MAX_HOPS = 50
/** Of a converted schema: so many are as much work as one part of the document. */
const CHARACTERS = 200

/** The part of OpenAPI that says who sends a property. */
const DROPPED = { input: 'readOnly', output: 'writeOnly' } as const

interface Work {
  readonly direction: Direction
  readonly document: LoadedDocument
  readonly references: Set<string>
  readonly notes: Set<string>
  count: number
  /** Whether the other direction would give another schema. */
  isDirectional: boolean
}

export class SchemaConverter {
  readonly #library: Library
  readonly #version: OpenAPIVersion
  readonly #names = new DefinitionNames()
  readonly #definitions = { input: new Map<string, Converted>(), output: new Map<string, Converted>() }

  constructor(library: Library, version: OpenAPIVersion) {
    this.#library = library
    this.#version = version
  }

  /** Throws `MappingProblem` for a reference that names nothing. */
  convert(place: Place, direction: Direction): Converted {
    return this.#run(place, direction).converted
  }

  /** The schema of a definition, converted when it is first asked for. */
  definition(name: string, direction: Direction): Converted {
    const known = this.#definitions[direction].get(name)
    if (known !== undefined) return known
    const place = this.#names.placeOf(name)
    const { converted, isDirectional } = this.#run(place, direction)
    this.#definitions[direction].set(name, converted)
    if (!isDirectional) this.#definitions[direction === 'input' ? 'output' : 'input'].set(name, converted)
    return converted
  }

  /** Follows references until there is a schema that says more. */
  follow(place: Place): Place {
    let current = place
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const reference = ownMember(current.value, '$ref')
      if (typeof reference !== 'string') return current
      // Since 3.1 the keywords beside a reference count.
      const keys = this.#version === '3.0' ? [] : Object.keys(current.value as object)
      this.#library.spend(keys.length)
      if (keys.some((key) => !ANNOTATIONS.has(key))) return current
      current = this.#library.resolve(reference, current.document, current.pointer)
    }
    throw new MappingProblem(`The reference at ${place.pointer} leads in a circle.`, place.pointer)
  }

  /** Whether nobody sends the property in this direction. */
  isDropped(place: Place, direction: Direction): boolean {
    const flag = DROPPED[direction]
    let current = place
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      if (ownMember(current.value, flag) === true) return true
      const reference = ownMember(current.value, '$ref')
      if (typeof reference !== 'string') return false
      current = this.#library.resolve(reference, current.document, current.pointer)
    }
    return false
  }

  #run(place: Place, direction: Direction): { converted: Converted; isDirectional: boolean } {
    const work: Work = {
      direction,
      document: place.document,
      references: new Set(),
      notes: new Set(),
      count: 0,
      isDirectional: false,
    }
    const schema = this.#schema(place.value, place.pointer, work, 0)
    const { references, notes, count, isDirectional } = work
    const size = JSON.stringify(schema).length
    this.#library.spend(Math.floor(size / CHARACTERS))
    return { converted: { schema, references, notes, size, count }, isDirectional }
  }

  #schema(value: unknown, pointer: string, work: Work, depth: number): JSONSchema {
    work.count += 1
    if (typeof value === 'boolean') return this.#version === '3.0' ? {} : value
    if (!isPlainObject(value)) return {}
    let members = 1
    for (const member of Object.values(value)) members += Array.isArray(member) ? member.length : 1
    this.#library.spend(members)
    if (depth >= MAX_INLINE_DEPTH) return this.#refer({ value, document: work.document, pointer }, work)
    const reference = ownMember(value, '$ref') ?? ownMember(value, '$dynamicRef')
    const target = typeof reference === 'string' ? this.#library.resolve(reference, work.document, pointer) : undefined
    if (target !== undefined && this.#version === '3.0') return this.#refer(target, work)
    const schema: Members = target === undefined ? {} : this.#refer(target, work)
    copyKeywords(value, schema, this.#version, (what) => work.notes.add(what))
    this.#copyParts(value, schema, pointer, work, depth + 1)
    return this.#version === '3.0' && value['nullable'] === true ? allowNull(schema) : schema
  }

  #refer(target: Place, { references }: Work): Members {
    const name = this.#names.nameOf(target)
    references.add(name)
    return { $ref: `#/$defs/${name}` }
  }

  #copyParts(from: Members, to: Members, pointer: string, work: Work, depth: number): void {
    for (const key of Object.keys(from)) {
      const value = from[key]
      const place = pointerTo(pointer, key)
      // The one place where version 3.0 has a truth value for a schema.
      if (key === 'additionalProperties' && typeof value === 'boolean') to[key] = value
      else if (ONE.has(key) && isSchema(value)) to[key] = this.#schema(value, place, work, depth)
      else if (LISTS.has(key) && Array.isArray(value) && value.length > 0) {
        to[key] = value.map((part, index) => this.#schema(part, pointerTo(place, index), work, depth))
      } else if (MAPS.has(key) && isPlainObject(value)) to[key] = this.#map(value, place, work, depth)
    }
    loosen(to)
    this.#copyItems(from, to, pointer, work, depth)
    this.#copyProperties(from, to, pointer, work, depth)
  }

  /** A list of schemas is how drafts before 2020-12 describe the first items. */
  #copyItems(from: Members, to: Members, pointer: string, work: Work, depth: number): void {
    const { items } = from
    const place = pointerTo(pointer, 'items')
    if (isSchema(items)) to['items'] = this.#schema(items, place, work, depth)
    else if (Array.isArray(items) && items.length > 0) {
      to['prefixItems'] = items.map((item, index) => this.#schema(item, pointerTo(place, index), work, depth))
    }
  }

  #map(from: Members, pointer: string, work: Work, depth: number): Members {
    const to: Members = {}
    for (const [name, value] of Object.entries(from)) {
      if (pointer.endsWith('/patternProperties') && !isUsablePattern(name)) {
        work.notes.add('a pattern that cannot be checked')
        continue
      }
      setMember(to, name, this.#schema(value, pointerTo(pointer, name), work, depth))
    }
    return to
  }

  #copyProperties(from: Members, to: Members, pointer: string, work: Work, depth: number): void {
    const { properties, required } = from
    const dropped = this.#droppedNames(from, pointer, work, 0)
    if (dropped.size > 0) work.isDirectional = true
    if (isPlainObject(properties)) {
      const copied: Members = {}
      for (const name of Object.keys(properties)) {
        if (dropped.has(name)) continue
        const place = pointerTo(pointer, 'properties', name)
        setMember(copied, name, this.#schema(properties[name], place, work, depth))
      }
      to['properties'] = copied
    }
    if (!Array.isArray(required)) return
    const names = [...new Set(required.filter((name) => typeof name === 'string' && !dropped.has(name)))]
    if (names.length > 0) to['required'] = names
  }

  /** Properties that the other side sends, here and in what `allOf` adds. */
  #droppedNames(from: Members, pointer: string, work: Work, depth: number): ReadonlySet<string> {
    const names = new Set<string>()
    const { properties, allOf, required } = from
    const own = isPlainObject(properties) ? Object.keys(properties) : []
    this.#library.spend(own.length)
    for (const name of own) {
      const value = (properties as Members)[name]
      if (!isPlainObject(value)) continue
      const place = { value, document: work.document, pointer: pointerTo(pointer, 'properties', name) }
      const isOther = this.isDropped(place, work.direction === 'input' ? 'output' : 'input')
      if (this.isDropped(place, work.direction)) names.add(name)
      else if (isOther) work.isDirectional = true
    }
    if (!Array.isArray(allOf) || !Array.isArray(required) || depth >= MAX_ALL_OF) return names
    for (const part of allOf.slice(0, MAX_PARTS)) {
      const target = this.follow({ value: part, document: work.document, pointer })
      if (!isPlainObject(target.value)) continue
      this.#library.spend(1 + Object.keys(target.value).length)
      const inner = { ...work, document: target.document }
      const found = this.#droppedNames({ ...target.value, required }, target.pointer, inner, depth + 1)
      if (inner.isDirectional) work.isDirectional = true
      for (const name of found) names.add(name)
    }
    return names
  }
}

const MAX_ALL_OF = 4
const MAX_PARTS = 100

/** Keywords beside a reference that say nothing about which values fit. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['$ref', 'description', 'summary', 'title', 'example', 'examples'])
const ONE: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames'],
  ...['contains', 'not', 'if', 'then', 'else'],
])
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const MAPS: ReadonlySet<string> = new Set(['patternProperties', 'dependentSchemas'])

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isPlainObject(value)
}

/**
 * Which of several alternatives is meant, a discriminator says, or the API. By their schemas alone most values fit more than one, as
 * objects do whose members are all optional, and `oneOf` would refuse them. Alternatives of different types stay as they are.
 */
function loosen(schema: Members): void {
  const { oneOf, anyOf, allOf } = schema
  if (oneOf === undefined || (Array.isArray(oneOf) && haveDifferentTypes(oneOf))) return
  delete schema['oneOf']
  if (anyOf === undefined) schema['anyOf'] = oneOf
  else schema['allOf'] = [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }]
}

function haveDifferentTypes(alternatives: readonly unknown[]): boolean {
  const types = alternatives.flatMap((one) => (isPlainObject(one) ? one['type'] : undefined))
  const names = types.map((type) => (type === 'integer' ? 'number' : type))
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length
}

/** `nullable` where there is no `type` that could say it. */
function allowNull(schema: Members): Members {
  if (Object.hasOwn(schema, 'type')) return schema
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = schema[keyword]
    if (!Array.isArray(options)) continue
    const widened = { ...schema, [keyword]: [...options, { type: 'null' }] }
    loosen(widened)
    return widened
  }
  return Object.hasOwn(schema, 'allOf') ? { anyOf: [schema, { type: 'null' }] } : schema
}
