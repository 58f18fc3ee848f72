// One field of a form on a terminal: how it is asked for, and what was typed as the value that the schema wants.
import { compileSchema } from 'mcpwire/schema'
import type { ElicitContent, ElicitRequestedSchema, PrimitiveSchemaDefinition } from 'mcpwire/types'
import { showLine } from './terminal-text.ts'

/** A field that is ready to be asked for. */
export interface FormField {
  readonly name: string
  /** `Size, how large it is (S, M, L) [M]`. */
  readonly label: string
  /** Nothing typed leaves the field out: the client fills in its default. */
  read(typed: string): { value?: ElicitContent[string]; problem?: string }
}

interface Choice {
  value: string
  title: string
}

/** The fields in their order, or why they cannot be asked for. */
export function readForm({ properties, required = [] }: ElicitRequestedSchema): FormField[] | string {
  const needed = new Set(required)
  const fields: FormField[] = []
  for (const [name, schema] of Object.entries(properties)) {
    try {
      fields.push(readField(name, schema, needed.has(name)))
    } catch (error) {
      return `its field ${name} cannot be checked: ${(error as Error).message}`
    }
  }
  return fields
}

function readField(name: string, schema: PrimitiveSchemaDefinition, isRequired: boolean): FormField {
  const validator = compileSchema(schema, { formats: 'assert' })
  const isOptional = !isRequired || schema.default !== undefined
  return {
    name,
    label: labelOf(name, schema, isRequired),
    read: (typed) => {
      const text = typed.trim()
      if (text === '') return isOptional ? {} : { problem: 'This one is needed.' }
      const value = toValue(text, schema)
      if (value === undefined) return { problem: `Expected: ${kindOf(schema)}.` }
      const [issue] = validator.validate(value)
      return issue === undefined ? { value } : { problem: issue.message }
    },
  }
}

function labelOf(name: string, schema: PrimitiveSchemaDefinition, isRequired: boolean): string {
  const label = [schema.title ?? name, schema.description].filter((text) => text !== undefined).join(', ')
  const preset = schema.default === undefined ? '' : ` [${String(schema.default)}]`
  const freedom = isRequired || schema.default !== undefined ? '' : ', may be empty'
  return showLine(`${label} (${kindOf(schema)}${freedom})${preset}`)
}

function toValue(text: string, schema: PrimitiveSchemaDefinition): ElicitContent[string] | undefined {
  const choices = choicesOf(schema)
  switch (schema.type) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined
    case 'number':
    case 'integer':
      return Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'array': {
      const picked = text.split(',').map((part) => pick(part.trim(), choices ?? []))
      return picked.every((value) => value !== undefined) ? picked : undefined
    }
    default:
      return choices === undefined ? text : pick(text, choices)
  }
}

/** By its title, as it is shown, or by its value. */
function pick(text: string, choices: readonly Choice[]): string | undefined {
  return choices.find(({ title, value }) => title === text || value === text)?.value
}

function kindOf(schema: PrimitiveSchemaDefinition): string {
  const choices = choicesOf(schema)
    ?.map(({ title }) => title)
    .join(', ')
  if (schema.type === 'array') return `any of ${choices ?? ''}, with commas between`
  if (choices !== undefined) return choices
  if (schema.type === 'boolean') return 'yes or no'
  if (schema.type !== 'string') return schema.type
  return 'format' in schema && schema.format !== undefined ? schema.format : 'text'
}

function choicesOf(schema: PrimitiveSchemaDefinition): Choice[] | undefined {
  const options = 'items' in schema ? schema.items : schema
  if ('enum' in options) {
    const titles = 'enumNames' in schema ? schema.enumNames : undefined
    return options.enum.map((value, index) => ({ value, title: titles?.[index] ?? value }))
  }
  const titled = 'anyOf' in options ? options.anyOf : 'oneOf' in options ? options.oneOf : undefined
  return titled?.map(({ const: value, title }) => ({ value, title }))
}
