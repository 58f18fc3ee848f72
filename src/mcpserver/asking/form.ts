// Turns the schema of a question into a form for the client, and what the user filled in into a typed value.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { tellsFit } from '../../schema/fits.ts'
import type { JSONSchemaObject, Validation } from '../../schema/json-schema.ts'
import { createReadingEngine } from '../../schema/reading-engine.ts'
import { type ReadSchema, type ResolvedSchema, readUserSchema } from '../../schema/user-schema.ts'
import {
  checkElicitAnswer,
  checkRequestedSchema,
  type FormAnswer,
  settleForm,
} from '../../server/asking/elicitation-rules.ts'
import { InvalidResultError, LimitError } from '../../types/errors/failures.ts'
import type { ElicitAction, ElicitContent, ElicitRequestedSchema } from '../../types/features/elicitation.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import { formatPath } from '../../wire/shapes/misfit.ts'
import type { ValueAfter } from '../tools/typed.ts'
import { FormQuestions } from './digest.ts'

/** The content of an accepted form: the output type of the schema, or plain fields where its type says nothing. */
export type FormContent<Schema> = unknown extends ValueAfter<Schema> ? ElicitContent : ValueAfter<Schema>

/** What the user did with a form. */
export type ElicitOutcome<Content> =
  | {
      /** The user sent the form. */
      readonly action: 'accept'
      /** The answer, checked by the schema of the question. */
      readonly content: Content
    }
  | {
      /** The user refused (`decline`) or closed the form (`cancel`). There is no content. */
      readonly action: Exclude<ElicitAction, 'accept'>
      /** Never there, so that `answer.content?.field` can be written without a look at the action first. */
      readonly content?: never
    }

export interface Form<Content> {
  readonly requestedSchema: ElicitRequestedSchema
  readonly questions: FormQuestions
  /** Rejects where a pattern of the form is not safe; `undefined` for most forms. */
  readonly settling: Promise<unknown> | undefined
  /** The form as that revision writes it. */
  requestedSchemaAt(version: ProtocolVersion): ElicitRequestedSchema
  /** Fails with `InvalidResultError`, which names the field, if accepted content does not fit. */
  read(answer: unknown): MaybePromise<ElicitOutcome<Content>>
}

const engine = createReadingEngine({ formats: 'assert' }, tellsFit)
const forms = new WeakMap<object, Form<unknown>>()

/**
 * The form of a Standard Schema that describes itself as JSON Schema, or of a plain JSON Schema. Throws `TypeError` that names
 * the property when it is not flat. Made once per schema object, which therefore must not change.
 */
export function formOf<Schema extends object>(schema: Schema): Form<FormContent<Schema>> {
  let form = forms.get(schema)
  if (form === undefined) {
    form = createForm(readUserSchema(schema, { direction: 'input', engine }))
    forms.set(schema, form)
  }
  return form as Form<FormContent<Schema>>
}

function createForm(schema: ReadSchema): Form<unknown> {
  const { requestedSchema, nullNames } = simplifyForm(schema.jsonSchema)
  checkRequestedSchema(requestedSchema)
  let plain: ElicitRequestedSchema | undefined
  return {
    requestedSchema,
    questions: new FormQuestions(requestedSchema),
    settling: schema.settling ?? settleForm(requestedSchema),
    requestedSchemaAt(version) {
      if (grammarOf(version).has('TitledSingleSelectEnumSchema')) return requestedSchema
      plain ??= withoutTitledChoices(requestedSchema)
      return plain
    },
    read: (answer) =>
      whenDone(checkElicitAnswer(requestedSchema, answer), (checked) =>
        checked.action === 'accept' ? readAccepted(schema, nullNames, checked) : checked,
      ),
  }
}

function validateWithin(schema: ResolvedSchema, content: unknown): MaybePromise<Validation> {
  try {
    const validation = schema.validate(content)
    return isThenable(validation) ? validation.catch(throwTooMuch) : validation
  } catch (error) {
    return throwTooMuch(error)
  }
}

function throwTooMuch(error: unknown): never {
  if (!(error instanceof LimitError)) throw error
  const problem = `Invalid result for elicitation/create: content is too large to check: ${error.message}`
  throw new InvalidResultError(problem, 'content', { cause: error })
}

/** The content fits the form. The author's schema may have further rules, and may transform it. */
function readAccepted(
  schema: ResolvedSchema,
  nullNames: readonly string[],
  { content }: FormAnswer & { action: 'accept' },
): MaybePromise<ElicitOutcome<unknown>> {
  const leftOut = nullNames.filter((name) => !Object.hasOwn(content, name)).map((name) => [name, null] as const)
  const whole = leftOut.length === 0 ? content : { ...content, ...Object.fromEntries(leftOut) }
  return whenDone(validateWithin(schema, whole), (validation) => {
    if (validation.ok) return { action: 'accept', content: validation.value }
    const reasons = validation.issues.map(({ message }) => message).join('; ')
    const path = formatPath(['content', ...(validation.issues[0]?.path ?? [])])
    throw new InvalidResultError(`Invalid result for elicitation/create: content does not fit: ${reasons}`, path)
  })
}

// The rest of this file rewrites the fields of a schema in the few forms that clients know. Rules that get lost on the way are
// still checked by the schema itself.

/** The schema of one field, as its author or their library wrote it. */
type Field = Readonly<Record<string, unknown>>

/** Spec, Elicitation: the formats that a field may name. */
const FORMATS: ReadonlySet<unknown> = new Set(['date', 'date-time', 'email', 'uri'])

interface SimpleForm {
  readonly requestedSchema: Field
  /** Fields that are required and may be null. A form has no null: the user leaves such a field empty. */
  readonly nullNames: readonly string[]
}

/**
 * Schema libraries write choices as values without a type or as unions of constants, and null as one more alternative. Other
 * fields stay as they are, and the rules for forms check them.
 */
function simplifyForm({ $schema: _dialect, ...schema }: JSONSchemaObject): SimpleForm {
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

/** For revisions that write the titles of choices as `enumNames`. */
function withoutTitledChoices(schema: ElicitRequestedSchema): ElicitRequestedSchema {
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
  const simple = withoutUnknownFormat(withoutNull(field))
  if (simple['type'] === 'array') return simplifyItems(simple)
  const { anyOf: _anyOf, oneOf: _oneOf, enum: _enum, const: _const, ...rest } = simple
  const type = commonTypeOf(simple)
  const options = optionsOf(simple)
  if (type === undefined || (options === undefined && armsOf(simple) === undefined)) return simple
  // Alternatives that are not all constants: only their common type is left.
  if (options === undefined) return { ...rest, type }
  return { ...rest, type, ...(isTitled(options) ? { oneOf: withTitles(options) } : { enum: constantsOf(options) }) }
}

/** A field with several choices lists its options in `items`. */
function simplifyItems(field: Field): Field {
  const { items } = field
  const options = isPlainObject(items) ? optionsOf(items) : undefined
  if (options === undefined) return field
  const choice = isTitled(options) ? { anyOf: withTitles(options) } : { type: 'string', enum: constantsOf(options) }
  return { ...field, items: choice }
}

function withoutUnknownFormat({ format, ...field }: Field): Field {
  return FORMATS.has(format) ? { ...field, format } : field
}

function constantsOf(options: readonly Field[]): unknown[] {
  return options.map((option) => option['const'])
}

function isTitled(options: readonly Field[]): boolean {
  return options.some(({ title }) => title !== undefined)
}

/** An option without a title shows its value. */
function withTitles(options: readonly Field[]): Field[] {
  return options.map((option) => ({ ...option, title: option['title'] ?? option['const'] }))
}

/** The alternatives of a field; `undefined` where it has none. */
function armsOf({ anyOf, oneOf }: Field): readonly Field[] | undefined {
  const arms = anyOf ?? oneOf
  if (anyOf !== undefined && oneOf !== undefined) return undefined
  return Array.isArray(arms) && arms.every(isPlainObject) ? arms : undefined
}

function mayBeNull(field: Field): boolean {
  const { type, enum: values } = field
  if (isNull(field) || (Array.isArray(values) && values.includes(null))) return true
  return (Array.isArray(type) && type.includes('null')) || armsOf(field)?.some(mayBeNull) === true
}

/** The field without null. If only one alternative is left, it becomes the field. */
function withoutNull(field: Field): Field {
  if (isNull(field) || !mayBeNull(field)) return field
  const { anyOf: _anyOf, oneOf: _oneOf, default: initial, ...rest } = field
  const kept = initial === null || initial === undefined ? rest : { ...rest, default: initial }
  const arms = armsOf(field)
  if (arms !== undefined) {
    const others = arms.filter((arm) => !isNull(arm)).map(withoutNull)
    const [only, ...more] = others
    return only !== undefined && more.length === 0 ? { ...only, ...kept } : { ...kept, anyOf: others }
  }
  const { type, enum: values } = field
  return {
    ...kept,
    ...(Array.isArray(type) && { type: takeOnly(type.filter((each) => each !== 'null')) }),
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
  }
}

function isNull({ type, const: value }: Field): boolean {
  return type === 'null' || value === null
}

function takeOnly(list: readonly unknown[]): unknown {
  return list.length === 1 ? list[0] : list
}

/** The options of a field that allows only certain values, each as a schema with a `const`. */
function optionsOf(field: Field): readonly Field[] | undefined {
  const { enum: values } = field
  if (field['const'] !== undefined) return [{ const: field['const'] }]
  if (Array.isArray(values)) return values.map((value) => ({ const: value }))
  const options = armsOf(field)?.map((arm) => (arm['const'] === undefined ? optionsOf(arm) : [arm]))
  return options?.every((option) => option !== undefined) ? options.flat() : undefined
}

/** The JSON Schema type that all values of a field share; `undefined` if there are several. */
function commonTypeOf(field: Field): unknown {
  const { type } = field
  if (type !== undefined) return Array.isArray(type) ? undefined : type
  const types = new Set(optionsOf(field)?.map((option) => typeof option['const']) ?? armsOf(field)?.map(commonTypeOf))
  const [only] = types
  return types.size === 1 ? only : undefined
}
