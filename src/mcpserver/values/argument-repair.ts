// Models send JSON in a string where a schema asks for the thing itself. This takes such arguments out of their strings.
import { findBreach } from '../../primitives/json/json-scan.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { type JSONSchemaObject, labelOf } from '../../schema/json-schema.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { createSchemaReader, type SchemaReader } from './schema-reader.ts'

/** The types that a string can be parsed to. */
export type ParsedType = 'object' | 'array' | 'number' | 'boolean'

export interface Repair {
  readonly value: JSONObject
  /** The arguments that were strings before, as `filters[0].range`. */
  readonly names: readonly string[]
}

export type RepairArguments = (args: unknown) => Repair | undefined

// What is taken out of a string was counted as one element when the message came in.
const LIMITS = { maxDepth: 64, maxElements: 10_000 }
/** How deep in the arguments strings are looked for, and in how many places. */
const MAX_DEPTH = 8
const MAX_PLACES = 10_000
/** So few names are looked for in an object without a look at what else it has, which may be very much. */
const FEW_NAMES = 32
const encoder = new TextEncoder()

/**
 * Repairs the arguments of one schema, wherever it plainly wants one of these types and no string. Answers `undefined` where
 * nothing can be done; the given arguments are never changed.
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

/** One repair under way. */
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
    // To copy so many costs more than all else.
    this.names.length = before
    return value
  }

  /** Members that may have to be repaired. An object of very many is not gone through. */
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
