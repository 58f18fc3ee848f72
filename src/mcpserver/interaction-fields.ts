// Brings the fields of an author's schema into the few forms that clients know. What is lost on the way, the schema still checks.
import { isPlainObject } from '../primitives/objects.ts'
import type { JSONSchemaObject } from '../schema/json-schema.ts'
import type { ElicitRequestedSchema } from '../types/elicitation.ts'
import { armsOf, type Field, mayBeNull, optionsOf, typeOf, withoutNull } from './interaction-unions.ts'

/** Spec, Elicitation: the formats that a field may name. */
const FORMATS: ReadonlySet<unknown> = new Set(['date', 'date-time', 'email', 'uri'])

export interface SimpleForm {
  readonly requestedSchema: Field
  /** What the author requires though it may be null. A form has no null: the user leaves such a field out. */
  readonly nullNames: readonly string[]
}

/**
 * Schema libraries write choices as values without a type or as unions of constants, and null as one more alternative. A
 * field that is nothing of the kind stays as it is, for the rules of forms to judge.
 */
export function simplifyForm({ $schema: _dialect, ...schema }: JSONSchemaObject): SimpleForm {
  const { properties, required } = schema
  if (!isPlainObject(properties)) return { requestedSchema: schema, nullNames: [] }
  const fields = Object.entries(properties).map(([name, field]) => [name, simplifyField(field)] as const)
  const requestedSchema = { ...schema, properties: Object.fromEntries(fields) }
  const nullNames = (Array.isArray(required) ? required : []).filter((name) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    return isPlainObject(field) && mayBeNull(field)
  })
  if (nullNames.length === 0) return { requestedSchema, nullNames }
  const others = (required as unknown[]).filter((name) => !nullNames.includes(name))
  return { requestedSchema: { ...requestedSchema, required: others }, nullNames }
}

/** For a revision whose only choice is a list of values, with the texts for people beside it. */
export function withoutTitledChoices(schema: ElicitRequestedSchema): ElicitRequestedSchema {
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    if (!('oneOf' in field)) return [name, field] as const
    const { oneOf, ...rest } = field
    return [
      name,
      { ...rest, enum: oneOf.map((option) => option.const), enumNames: oneOf.map(({ title }) => title) },
    ] as const
  })
  return { ...schema, properties: Object.fromEntries(fields) }
}

function simplifyField(field: unknown): unknown {
  if (!isPlainObject(field) || field['enumNames'] !== undefined) return field
  const simple = withoutStrangeFormat(withoutNull(field))
  if (simple['type'] === 'array') return simplifyItems(simple)
  const { anyOf: _anyOf, oneOf: _oneOf, enum: _enum, const: _const, ...rest } = simple
  const type = typeOf(simple)
  const options = optionsOf(simple)
  if (type === undefined || (options === undefined && armsOf(simple) === undefined)) return simple
  // Alternatives that are more than a choice: what they have in common is their type.
  if (options === undefined) return { ...rest, type }
  return { ...rest, type, ...(isTitled(options) ? { oneOf: withTitles(options) } : { enum: valuesOf(options) }) }
}

/** A choice of several has what can be chosen in its items. */
function simplifyItems(field: Field): Field {
  const { items } = field
  const options = isPlainObject(items) ? optionsOf(items) : undefined
  if (options === undefined) return field
  const choice = isTitled(options) ? { anyOf: withTitles(options) } : { type: 'string', enum: valuesOf(options) }
  return { ...field, items: choice }
}

function withoutStrangeFormat({ format, ...field }: Field): Field {
  return FORMATS.has(format) ? { ...field, format } : field
}

function valuesOf(options: readonly Field[]): unknown[] {
  return options.map((option) => option['const'])
}

function isTitled(options: readonly Field[]): boolean {
  return options.some(({ title }) => title !== undefined)
}

/** An option without a text for people is shown as it is. */
function withTitles(options: readonly Field[]): Field[] {
  return options.map((option) => ({ ...option, title: option['title'] ?? option['const'] }))
}
