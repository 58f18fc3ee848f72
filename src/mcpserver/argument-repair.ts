// Models send JSON in a string where a schema asks for the thing itself. This takes such arguments out of their strings.
import { findBreach } from '../primitives/json-scan.ts'
import { isPlainObject } from '../primitives/objects.ts'
import type { JSONSchemaObject } from '../schema/json-schema.ts'
import type { JSONObject } from '../types/json.ts'
import { ownMember } from '../wire/own.ts'

/** The types that a string can be parsed to. */
export type ParsedType = 'object' | 'array' | 'number' | 'boolean'

export interface Repair {
  readonly value: JSONObject
  /** The arguments that were strings before. */
  readonly names: readonly string[]
}

export type RepairArguments = (args: unknown) => Repair | undefined

// What is taken out of a string was counted as one element when the message came in.
const LIMITS = { maxDepth: 64, maxElements: 10_000 }
const MAX_REFERENCES = 32
const encoder = new TextEncoder()

/**
 * Repairs the arguments of one schema, as far as properties at its root are of these types and not strings as well. Answers
 * `undefined` where nothing can be done; the given arguments are never changed.
 */
export function createRepair(schema: JSONSchemaObject, types: readonly ParsedType[]): RepairArguments {
  const wanted = new Map<string, ReadonlySet<string>>()
  for (const [name, property] of Object.entries(ownObject(schema, 'properties'))) {
    const accepted = new Set<string>()
    collectTypes(property, schema, accepted, MAX_REFERENCES)
    const parsed = accepted.has('string') ? [] : types.filter((type) => accepted.has(type))
    if (parsed.length > 0) wanted.set(name, new Set(parsed))
  }

  return (args) => {
    if (!isPlainObject(args)) return undefined
    const names: string[] = []
    const entries = Object.entries(args).map(([name, value]): [string, unknown] => {
      const parsed = typeof value === 'string' ? parseAs(value, wanted.get(name)) : undefined
      if (parsed === undefined) return [name, value]
      names.push(name)
      return [name, parsed]
    })
    return names.length === 0 ? undefined : { value: Object.fromEntries(entries), names }
  }
}

function parseAs(text: string, types: ReadonlySet<string> | undefined): unknown {
  if (types === undefined || findBreach(encoder.encode(text), LIMITS) !== undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return types.has(Array.isArray(value) ? 'array' : typeof value) && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The types that a property accepts, as far as they are written in plain sight or behind a local reference. */
function collectTypes(schema: unknown, root: JSONSchemaObject, types: Set<string>, referencesLeft: number): void {
  const type = ownMember(schema, 'type')
  for (const name of Array.isArray(type) ? type : [type]) {
    if (typeof name === 'string') types.add(name === 'integer' ? 'number' : name)
  }
  if (referencesLeft === 0) return
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const options = ownMember(schema, keyword)
    if (!Array.isArray(options)) continue
    for (const option of options) collectTypes(option, root, types, referencesLeft - 1)
  }
  const reference = ownMember(schema, '$ref')
  if (typeof reference !== 'string') return
  collectTypes(lookUp(reference, root), root, types, referencesLeft - 1)
}

function lookUp(reference: string, root: JSONSchemaObject): unknown {
  const [hash, keyword, name, ...rest] = reference.split('/')
  if (hash !== '#' || (keyword !== '$defs' && keyword !== 'definitions') || name === undefined || rest.length > 0)
    return
  return ownMember(ownMember(root, keyword), name)
}

function ownObject(value: unknown, key: string): JSONObject {
  const member = ownMember(value, key)
  return isPlainObject(member) ? member : {}
}
