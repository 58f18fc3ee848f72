// JSON and JSON Schema as types. What a schema means is known to the compiler alone.

/** A JSON object. Members are `unknown` until they were checked. */
export interface JSONObject {
  [key: string]: unknown
}

/** A JSON Schema with keywords. Never changed by this package. */
export type JSONSchemaObject = JSONObject

/** Any JSON Schema; `true` accepts everything and `false` nothing. */
export type JSONSchema = JSONSchemaObject | boolean

/** The dialects that are supported. Meta-schemas of one's own build on one of them. */
export type DialectName = '2020-12' | 'draft-07'

export function isPlainObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
