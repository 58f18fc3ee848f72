// Schemas that are compiled with the first value: a large document has thousands of them, and few are used.
import { createSchemaEngine } from '../../schema/engine.ts'
import { type JSONSchemaObject, labelOf, type SchemaValidator } from '../../schema/json-schema.ts'
import type { StandardJSONSchema, StandardSchema } from '../../schema/standard-schema.ts'

/** Larger than for schemas of unknown origin: what is converted here has been bounded already. */
const engine = createSchemaEngine({
  limits: { maxSchemaBytes: 8 * 1024 * 1024, maxSubschemas: 50_000, maxSchemaDepth: 64 },
})

type Described = StandardSchema & StandardJSONSchema

/** Describes itself as the JSON Schema, and checks values against it. */
export function lazySchema(schema: JSONSchemaObject): Described {
  let validator: SchemaValidator | undefined
  const validate = (value: unknown) => {
    validator ??= engine.compile(schema)
    const issues = validator.validate(value)
    if (issues.length === 0) return { value }
    return { issues: issues.map(({ message, path }) => ({ message: withoutLabel(message, labelOf(path)), path })) }
  }
  const jsonSchema = { input: () => schema, output: () => schema }
  return { '~standard': { version: 1, vendor: 'mcpwire', validate, jsonSchema } }
}

/** The label is put before the message again. */
function withoutLabel(message: string, label: string): string {
  return label !== '' && message.startsWith(`${label}: `) ? message.slice(label.length + 2) : message
}

/** Lists the schema, and accepts what has been checked against it elsewhere. */
export function checkedSchema(schema: JSONSchemaObject): Described {
  const jsonSchema = { input: () => schema, output: () => schema }
  return { '~standard': { version: 1, vendor: 'mcpwire', validate: (value) => ({ value }), jsonSchema } }
}

/** A test that never throws: a value that cannot be checked fits. */
export function lazyTest(schema: JSONSchemaObject): (value: unknown) => boolean {
  let validator: SchemaValidator | undefined
  return (value) => {
    try {
      validator ??= engine.compile(schema)
      return validator.validate(value).length === 0
    } catch {
      return true
    }
  }
}
