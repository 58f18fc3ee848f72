// JSON Schema 2020-12 and draft-07 without generated code, with every cost bounded: for schemas and values from untrusted sources.
export {
  canonicalText,
  count,
  createIssue,
  DEFAULT_SCHEMA_LIMITS,
  type DepthMeter,
  type DialectName,
  escapePointer,
  type Issue,
  type IssueSource,
  isEqual,
  isPlainObject,
  type JSONSchema,
  type JSONSchemaObject,
  LimitError,
  labelOf,
  list,
  type Meter,
  quote,
  SchemaError,
  type SchemaLimits,
  showValue,
  toLine,
  typeName,
  UNMETERED,
  type Validation,
} from './basics.ts'
export { type CompileOptions, compileJsonSchema, type SchemaValidator } from './compile.ts'
export { isKeyword } from './dialect.ts'
export type { SchemaDocuments } from './library.ts'
export { type CreatePattern, dangerOf, type TextPattern } from './patterns/patterns.ts'
