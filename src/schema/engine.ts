// The engine that the rest of the package validates with: ours, or one that the user plugs in.
import { checkKeys } from '../primitives/json/known-keys.ts'
import { COMPILE_KEYS, type CompileOptions, compileSchema, type SchemaValidator } from './compile.ts'
import type { JSONSchema } from './engine/json-schema.ts'

/** Compiles JSON Schemas. `compile` throws when a schema cannot be used. */
export interface SchemaEngine {
  compile(schema: JSONSchema): SchemaValidator
}

/**
 * Our own engine: no generated code, nothing fetched, everything bounded. A schema object is compiled once;
 * the validator lives as long as the object does, so schemas that come and go leave nothing behind.
 */
export function createSchemaEngine(options: CompileOptions = {}): SchemaEngine {
  checkKeys('createSchemaEngine()', options, COMPILE_KEYS)
  const validators = new WeakMap<object, SchemaValidator>()
  return {
    compile(schema) {
      if (typeof schema !== 'object' || schema === null) return compileSchema(schema, options)
      const known = validators.get(schema)
      if (known !== undefined) return known
      const validator = compileSchema(schema, options)
      validators.set(schema, validator)
      return validator
    },
  }
}
