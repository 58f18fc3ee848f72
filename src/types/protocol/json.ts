// JSON values as TypeScript sees them.

/** A JSON value that has no parts. */
export type JSONPrimitive = string | number | boolean | null

/** Any JSON value. */
export type JSONValue = JSONPrimitive | JSONArray | JSONObject

/** A list of JSON values. */
export type JSONArray = JSONValue[]

/**
 * A JSON object. Members are `unknown` because what a peer sent is unknown until a shape was held against it.
 */
export interface JSONObject {
  [key: string]: unknown
}
