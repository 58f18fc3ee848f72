// Tells of most values that they fit, without the engine.
import { type PlainCheck, plainCheckOf } from '../../packages/json-schema/src/plain.ts'
import type { JSONSchema } from './json-schema.ts'

/** `null` for a schema that is not plain. */
const checks = new WeakMap<object, PlainCheck | null>()

/** Whether a value fits a plain schema, which takes a small part of the engine to tell. No option of the engine matters: a schema with a format, or of another dialect than the two, is not plain. */
export function tellsFit(schema: JSONSchema, value: unknown): boolean {
  if (typeof schema !== 'object') return false
  const known = checks.get(schema)
  if (known !== undefined) return known?.(value) ?? false
  const check = plainCheckOf(schema)
  checks.set(schema, check ?? null)
  return check?.(value) ?? false
}
