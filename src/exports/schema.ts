// mcpwire/schema: JSON Schema validation, and the schemas that users bring.
export {
  type AjvLike,
  type AjvValidate,
  ajvEngine,
  type EngineIssue,
  type TypeBoxValidator,
  typeboxEngine,
} from '../schema/adapters.ts'
export { compileSchema, createSchemaEngine, type SchemaEngine } from '../schema/engine.ts'
export type {
  CreatePattern,
  DialectName,
  Issue,
  JSONSchema,
  JSONSchemaObject,
  SchemaDocuments,
  TextPattern,
  Validation,
} from '../schema/json-schema.ts'
export {
  type CompileOptions,
  DEFAULT_SCHEMA_LIMITS,
  SchemaError,
  type SchemaLimits,
  type SchemaValidator,
} from '../schema/json-schema.ts'
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
