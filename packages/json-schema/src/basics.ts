// What needs no validator: errors, issues, equality. Apart from `index.ts`, so that programs can load the engine later or never.
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
