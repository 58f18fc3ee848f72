// What a JSON Schema is to the type system: JSON, whose meaning only the compiler of this room knows.
import type { JSONObject } from '../../types/protocol/json.ts'

/** A JSON Schema with keywords. Never changed by this package. */
export type JSONSchemaObject = JSONObject

/** Any JSON Schema; `true` accepts everything and `false` nothing. */
export type JSONSchema = JSONSchemaObject | boolean

/** The dialects that are understood. Meta-schemas of one's own build on one of them. */
export type DialectName = '2020-12' | 'draft-07'

export function isPlainObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
