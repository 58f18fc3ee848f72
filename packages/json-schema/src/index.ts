// JSON Schema 2020-12 and draft-07 without generated code, with every cost bounded: for schemas and values from untrusted sources.
export { type CompileOptions, compileJsonSchema, type SchemaValidator } from './compile.ts'
export { isKeyword } from './dialect.ts'
export { canonicalText, isEqual } from './engine/equality.ts'
export { LimitError, SchemaError } from './engine/errors.ts'
export {
  count,
  createIssue,
  escapePointer,
  type Issue,
  type IssueSource,
  labelOf,
  list,
  quote,
  showValue,
  toLine,
  typeName,
  type Validation,
} from './engine/issue.ts'
export { type DialectName, isPlainObject, type JSONSchema, type JSONSchemaObject } from './engine/json-schema.ts'
export { DEFAULT_SCHEMA_LIMITS, type SchemaLimits } from './engine/limits.ts'
export { type DepthMeter, type Meter, UNMETERED } from './engine/steps.ts'
export type { SchemaDocuments } from './library.ts'
export { type CreatePattern, dangerOf, type TextPattern } from './patterns/patterns.ts'
