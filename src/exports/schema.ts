// The door `mcpwire/schema`: JSON Schema validation, and the schemas that users bring.
export {
  type AjvLike,
  type AjvValidate,
  ajvEngine,
  type EngineIssue,
  type TypeBoxValidator,
  typeboxEngine,
} from '../schema/adapters.ts'
export { type CompileOptions, compileSchema, type SchemaValidator } from '../schema/compile.ts'
export type { Issue, Validation } from '../schema/engine/issue.ts'
export type { DialectName, JSONSchema, JSONSchemaObject } from '../schema/engine/json-schema.ts'
export { DEFAULT_SCHEMA_LIMITS, type SchemaLimits } from '../schema/engine/limits.ts'
export { SchemaError } from '../schema/engine/schema-error.ts'
export { createSchemaEngine, type SchemaEngine } from '../schema/engine.ts'
export type { SchemaDocuments } from '../schema/library.ts'
export type { CreatePattern, TextPattern } from '../schema/patterns/patterns.ts'
export type {
  InferInput,
  InferOutput,
  StandardIssue,
  StandardJSONSchema,
  StandardJSONSchemaConverter,
  StandardJSONSchemaOptions,
  StandardProperties,
  StandardResult,
  StandardSchema,
  StandardTypes,
} from '../schema/standard-schema.ts'
export {
  type ResolvedSchema,
  type ResolveSchemaOptions,
  resolveSchema,
  type SchemaDirection,
} from '../schema/user-schema.ts'
