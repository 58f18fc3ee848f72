// The engine that the rest of the package validates with: ours, or one that the user plugs in.
import { type CompileOptions, compileJsonSchema, type SchemaValidator } from '../../packages/json-schema/src/index.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { JSONSchema, SchemaLimits } from './json-schema.ts'

/** Compiles JSON Schemas. `compile` throws when a schema cannot be used. */
export interface SchemaEngine {
  /** Turns a JSON Schema into a validator. Called once for each schema. */
  compile(schema: JSONSchema): SchemaValidator
}

export const COMPILE_KEYS: KnownKeys<CompileOptions> = {
  dialect: true,
  documents: true,
  formats: true,
  regexp: true,
  limits: true,
}

export const SCHEMA_LIMITS_KEYS: KnownKeys<SchemaLimits> = {
  maxSchemaBytes: true,
  maxSchemaDepth: true,
  maxSubschemas: true,
  maxEvaluationDepth: true,
  maxCompilationSteps: true,
  maxValidationSteps: true,
  maxIssues: true,
}

/**
 * Compiles a JSON Schema (2020-12 or draft-07). `SchemaError` when it is invalid or refers to what is not there,
 * `LimitError` when it is too large. The schema may be changed afterwards; the validator has its own copy.
 */
export function compileSchema(schema: unknown, options: CompileOptions = {}): SchemaValidator {
  checkCompileOptions('compileSchema()', options)
  return compileJsonSchema(schema, options)
}

/**
 * Our own engine: no generated code, nothing fetched, everything bounded. A schema object is compiled once;
 * the validator lives as long as the object does, so schemas that come and go leave nothing behind.
 */
export function createSchemaEngine(options: CompileOptions = {}): SchemaEngine {
  checkCompileOptions('createSchemaEngine()', options)
  const validators = new WeakMap<object, SchemaValidator>()
  return {
    compile(schema) {
      if (typeof schema !== 'object' || schema === null) return compileJsonSchema(schema, options)
      const known = validators.get(schema)
      if (known !== undefined) return known
      const validator = compileJsonSchema(schema, options)
      validators.set(schema, validator)
      return validator
    },
  }
}

function checkCompileOptions(owner: string, options: CompileOptions): void {
  checkKeys(owner, options, COMPILE_KEYS)
  if (options.limits !== undefined) checkKeys('limits', options.limits, SCHEMA_LIMITS_KEYS)
}
