// Models sometimes send an argument as JSON in a string. This parses such strings where the schema expects another type.
import { findBreach } from '../../primitives/json/json-scan.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { type JSONSchemaObject, labelOf } from '../../schema/json-schema.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { createSchemaReader, type SchemaReader } from './schema-reader.ts'

/** The types that a string can be parsed to. */
export type ParsedType = 'object' | 'array' | 'number' | 'boolean'

export interface Repair {
  readonly value: JSONObject
  /** The arguments that were parsed, as `filters[0].range`. */
  readonly names: readonly string[]
}

export type RepairArguments = (args: unknown) => Repair | undefined

// The check of the whole message counted a string as one element, so what it contains is checked here.
const LIMITS = { maxDepth: 64, maxElements: 10_000 }
/** How deep the arguments are searched for strings, and in how many places. */
const MAX_DEPTH = 8
const MAX_PLACES = 10_000
/** Up to this many names of a schema are looked up directly, without listing the members of the object, which may be many. */
const FEW_NAMES = 32
const encoder = new TextEncoder()

/**
 * Repairs arguments where the schema expects one of these types and no string. Returns `undefined` if there is nothing to
 * repair. Never changes the given arguments.
 */
export function createRepair(schema: JSONSchemaObject, types: readonly ParsedType[]): RepairArguments {
  const reader = createSchemaReader(schema)
  return (args) => {
    if (!isPlainObject(args)) return undefined
    const repairing = new Repairing(reader, types)
    const value = repairing.inside(args, schema, []) as JSONObject
    return repairing.names.length === 0 ? undefined : { value, names: repairing.names }
  }
}

type Path = readonly (string | number)[]

/** One repair of the arguments of a call. */
class Repairing {
  readonly names: string[] = []
  readonly #reader: SchemaReader
  readonly #types: readonly ParsedType[]
  #placesLeft = MAX_PLACES

  constructor(reader: SchemaReader, types: readonly ParsedType[]) {
    this.#reader = reader
    this.#types = types
  }

  /** The same object or array if nothing in it was repaired, else a copy. */
  inside(value: unknown, schema: unknown, path: Path): unknown {
    if (path.length >= MAX_DEPTH || this.#placesLeft === 0) return value
    if (Array.isArray(value)) return this.#insideArray(value, schema, path)
    return isPlainObject(value) ? this.#insideObject(value, schema, path) : value
  }

  #insideObject(value: Record<string, unknown>, schema: unknown, path: Path): unknown {
    const repaired = new Map<string, unknown>()
    const before = this.names.length
    for (const name of this.#namesToTry(value, schema)) {
      if (this.#placesLeft === 0) break
      if (!Object.hasOwn(value, name)) continue
      const member = this.#at(value[name], this.#reader.property(schema, name), [...path, name])
      if (member !== value[name]) repaired.set(name, member)
    }
    if (repaired.size === 0) return value
    const entries = Object.entries(value)
    if (entries.length <= MAX_PLACES) {
      return Object.fromEntries(entries.map(([name, member]) => [name, repaired.get(name) ?? member]))
    }
    // A copy of so many members would cost too much.
    this.names.length = before
    return value
  }

  /** Members that may need a repair. None if the object has very many. */
  #namesToTry(value: Record<string, unknown>, schema: unknown): readonly string[] {
    const known = this.#reader.propertyNames(schema)
    if (known !== undefined && known.length <= FEW_NAMES) return known
    const names = Object.keys(value)
    if (known !== undefined && known.length < names.length) return known
    return names.length <= MAX_PLACES ? names : []
  }

  #insideArray(value: readonly unknown[], schema: unknown, path: Path): unknown {
    if (!this.#reader.hasItems(schema)) return value
    let repaired: unknown[] | undefined
    for (let index = 0; index < value.length && this.#placesLeft > 0; index++) {
      const item = this.#at(value[index], this.#reader.item(schema, index), [...path, index])
      if (item === value[index]) continue
      repaired ??= [...value]
      repaired[index] = item
    }
    return repaired ?? value
  }

  #at(value: unknown, schema: unknown, path: Path): unknown {
    this.#placesLeft -= 1
    if (schema === undefined) return value
    const parsed = typeof value === 'string' ? this.#parse(value, schema) : undefined
    if (parsed !== undefined) this.names.push(labelOf(path))
    return this.inside(parsed ?? value, schema, path)
  }

  #parse(text: string, schema: unknown): unknown {
    const accepted = this.#reader.types(schema)
    const wanted = accepted.has('string') ? [] : this.#types.filter((type) => accepted.has(type))
    return wanted.length === 0 ? undefined : parseAs(text, wanted)
  }
}

function parseAs(text: string, types: readonly string[]): unknown {
  if (findBreach(encoder.encode(text), LIMITS) !== undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return types.includes(Array.isArray(value) ? 'array' : typeof value) && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
