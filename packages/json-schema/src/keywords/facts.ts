// What each keyword takes and holds: all that it needs to read a schema. What keywords check is in the other files of this folder,
// which are loaded with the first value.
import type { Keyword } from '../engine/keyword.ts'
import {
  ANCHOR,
  ANYTHING,
  ARRAY,
  BOOLEAN,
  COUNT,
  NAMES,
  NAMES_BY_NAME,
  NUMBER,
  POSITIVE_NUMBER,
  STRING,
  TYPES,
  URI_REFERENCE,
} from '../engine/value-rules.ts'

const REFERENCE: Keyword = { name: '$ref', vocabulary: 'core', takes: URI_REFERENCE }
const ID: Keyword = { name: '$id', vocabulary: 'core', takes: URI_REFERENCE }
const DEFINITIONS: Keyword = { name: 'definitions', vocabulary: 'core', holds: 'schemaMap' }

export const REFERENCES_2020_12: readonly Keyword[] = [
  REFERENCE,
  { name: '$dynamicRef', vocabulary: 'core', takes: URI_REFERENCE },
  ID,
  { name: '$anchor', vocabulary: 'core', takes: ANCHOR },
  { name: '$dynamicAnchor', vocabulary: 'core', takes: ANCHOR },
  { name: '$defs', vocabulary: 'core', holds: 'schemaMap' },
  DEFINITIONS,
]

export const REFERENCES_DRAFT_07: readonly Keyword[] = [REFERENCE, ID, DEFINITIONS]

/** Those of both dialects. */
export const SHARED: readonly Keyword[] = [
  { name: 'type', vocabulary: 'validation', takes: TYPES },
  { name: 'enum', vocabulary: 'validation', takes: ARRAY },
  { name: 'const', vocabulary: 'validation', takes: ANYTHING },
  { name: 'minimum', vocabulary: 'validation', takes: NUMBER },
  { name: 'maximum', vocabulary: 'validation', takes: NUMBER },
  { name: 'exclusiveMinimum', vocabulary: 'validation', takes: NUMBER },
  { name: 'exclusiveMaximum', vocabulary: 'validation', takes: NUMBER },
  { name: 'multipleOf', vocabulary: 'validation', takes: POSITIVE_NUMBER },
  { name: 'minLength', vocabulary: 'validation', takes: COUNT },
  { name: 'maxLength', vocabulary: 'validation', takes: COUNT },
  { name: 'pattern', vocabulary: 'validation', takes: STRING, patternsIn: (value) => [value as string] },
  { name: 'format', vocabulary: 'format', takes: STRING },
  { name: 'minItems', vocabulary: 'validation', takes: COUNT },
  { name: 'maxItems', vocabulary: 'validation', takes: COUNT },
  { name: 'uniqueItems', vocabulary: 'validation', takes: BOOLEAN },
  { name: 'allOf', vocabulary: 'applicator', holds: 'schemas' },
  { name: 'anyOf', vocabulary: 'applicator', holds: 'schemas' },
  { name: 'oneOf', vocabulary: 'applicator', holds: 'schemas' },
  { name: 'not', vocabulary: 'applicator', holds: 'schema' },
  { name: 'if', vocabulary: 'applicator', holds: 'schema' },
  { name: 'then', vocabulary: 'applicator', holds: 'schema' },
  { name: 'else', vocabulary: 'applicator', holds: 'schema' },
  { name: 'dependencies', vocabulary: 'applicator', holds: 'schemaOrNamesMap' },
]

export const ITEMS_2020_12: readonly Keyword[] = [
  { name: 'prefixItems', vocabulary: 'applicator', holds: 'schemas' },
  { name: 'items', vocabulary: 'applicator', holds: 'schema' },
  { name: 'contains', vocabulary: 'applicator', holds: 'schema' },
  { name: 'minContains', vocabulary: 'validation', takes: COUNT },
  { name: 'maxContains', vocabulary: 'validation', takes: COUNT },
]

export const ITEMS_DRAFT_07: readonly Keyword[] = [
  { name: 'items', vocabulary: 'applicator', holds: 'schemaOrSchemas' },
  { name: 'additionalItems', vocabulary: 'applicator', holds: 'schema' },
  { name: 'contains', vocabulary: 'applicator', holds: 'schema' },
]

export const OBJECTS: readonly Keyword[] = [
  { name: 'required', vocabulary: 'validation', takes: NAMES },
  { name: 'minProperties', vocabulary: 'validation', takes: COUNT },
  { name: 'maxProperties', vocabulary: 'validation', takes: COUNT },
  { name: 'properties', vocabulary: 'applicator', holds: 'schemaMap' },
  {
    name: 'patternProperties',
    vocabulary: 'applicator',
    holds: 'schemaMap',
    patternsIn: (value) => Object.keys(value as object),
  },
  { name: 'additionalProperties', vocabulary: 'applicator', holds: 'schema' },
  { name: 'propertyNames', vocabulary: 'applicator', holds: 'schema' },
]

export const ONLY_2020_12: readonly Keyword[] = [
  { name: 'dependentRequired', vocabulary: 'validation', takes: NAMES_BY_NAME },
  { name: 'dependentSchemas', vocabulary: 'applicator', holds: 'schemaMap' },
  { name: 'unevaluatedProperties', vocabulary: 'unevaluated', holds: 'schema', isLate: true },
  { name: 'unevaluatedItems', vocabulary: 'unevaluated', holds: 'schema', isLate: true },
]
