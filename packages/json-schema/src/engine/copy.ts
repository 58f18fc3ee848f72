// Takes a private copy of a schema while measuring it, so that later changes, getters and odd prototypes cannot matter.
import { LimitError, SchemaError } from './errors.ts'
import type { JSONObject, JSONSchema } from './json-schema.ts'
import { isPlainObject } from './json-schema.ts'
import type { SchemaLimits } from './limits.ts'

// A subschema stands at most two JSON levels below its parent; the rest is for values in `enum`, `const` and `examples`.
const JSON_LEVELS_PER_SCHEMA_LEVEL = 4

interface Measure {
  bytesLeft: number
  readonly limits: SchemaLimits
}

/** A deep copy of plain JSON. Members that are `undefined` are left out, as JSON text would leave them out. */
export function copySchema(schema: unknown, limits: SchemaLimits): JSONSchema {
  if (typeof schema !== 'boolean' && !isPlainObject(schema)) {
    throw new SchemaError(`a schema is an object or a boolean, not ${schema === null ? 'null' : typeof schema}`)
  }
  const measure: Measure = { bytesLeft: limits.maxSchemaBytes, limits }
  return copyValue(schema, measure, 0) as JSONSchema
}

function copyValue(value: unknown, measure: Measure, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      spend(measure, value.length + 3)
      return value
    case 'number':
    case 'boolean':
      spend(measure, 5)
      return value
    case 'object':
      break
    default:
      throw new SchemaError(`a schema is JSON, and a ${typeof value} is not`)
  }
  spend(measure, 4)
  if (value === null) return null
  const { maxSchemaDepth } = measure.limits
  if (depth > maxSchemaDepth * JSON_LEVELS_PER_SCHEMA_LEVEL) throw new LimitError('schema depth', maxSchemaDepth)
  if (Array.isArray(value)) return value.map((item) => copyValue(item ?? null, measure, depth + 1))
  return copyObject(value as JSONObject, measure, depth)
}

/** Without a prototype, so that a member is there only if the schema has it, `__proto__` included. */
function copyObject(object: JSONObject, measure: Measure, depth: number): JSONObject {
  const copy: JSONObject = Object.create(null)
  for (const key of Object.keys(object)) {
    const member = object[key]
    if (member === undefined) continue
    spend(measure, key.length + 4)
    copy[key] = copyValue(member, measure, depth + 1)
  }
  return copy
}

function spend(measure: Measure, bytes: number): void {
  measure.bytesLeft -= bytes
  if (measure.bytesLeft < 0) throw new LimitError('schema bytes', measure.limits.maxSchemaBytes)
}
