// Turns the schema that a handler asks with into a form for the client, and what the user filled in into a typed value.
import { createSchemaEngine } from '../../schema/engine.ts'
import type { InferOutput } from '../../schema/standard-schema.ts'
import { type ResolvedSchema, resolveSchema } from '../../schema/user-schema.ts'
import { checkElicitAnswer, checkRequestedSchema, type FormAnswer } from '../../server/asking/elicitation-rules.ts'
import type { MaybePromise } from '../../server/handlers.ts'
import { InvalidResultError, LimitError } from '../../types/errors/failures.ts'
import type { ElicitAction, ElicitContent, ElicitRequestedSchema } from '../../types/features/elicitation.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import { formatPath } from '../../wire/shapes/misfit.ts'
import { simplifyForm, withoutTitledChoices } from './fields.ts'

/** What the schema makes of an accepted form; the plain fields where it is JSON Schema. */
export type FormContent<Schema> = unknown extends InferOutput<Schema> ? ElicitContent : InferOutput<Schema>

/** What became of a question to the user. */
export type ElicitOutcome<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: Exclude<ElicitAction, 'accept'> }

export interface Form<Content> {
  readonly requestedSchema: ElicitRequestedSchema
  /** The form in the words of an older revision. */
  requestedSchemaAt(version: ProtocolVersion): ElicitRequestedSchema
  /** Throws `InvalidResultError` that names the field when accepted content does not fit. */
  read(answer: unknown): MaybePromise<ElicitOutcome<Content>>
}

const engine = createSchemaEngine({ formats: 'assert' })
const forms = new WeakMap<object, Form<unknown>>()

/**
 * The form of a Standard Schema that describes itself as JSON Schema, or of a plain JSON Schema. Throws `TypeError` that names
 * the property when it is not flat. Made once per schema object, which therefore must not change.
 */
export function formOf<Schema extends object>(schema: Schema): Form<FormContent<Schema>> {
  let form = forms.get(schema)
  if (form === undefined) {
    form = createForm(resolveSchema(schema, { direction: 'input', engine }))
    forms.set(schema, form)
  }
  return form as Form<FormContent<Schema>>
}

function createForm(schema: ResolvedSchema): Form<unknown> {
  const { requestedSchema, nullNames } = simplifyForm(schema.jsonSchema)
  checkRequestedSchema(requestedSchema)
  let plain: ElicitRequestedSchema | undefined
  return {
    requestedSchema,
    requestedSchemaAt(version) {
      if (grammarOf(version).has('TitledSingleSelectEnumSchema')) return requestedSchema
      plain ??= withoutTitledChoices(requestedSchema)
      return plain
    },
    read(answer) {
      const checked = checkElicitAnswer(requestedSchema, answer)
      return checked.action === 'accept' ? accept(schema, nullNames, checked) : checked
    },
  }
}

function validateWithin(schema: ResolvedSchema, content: unknown): ReturnType<ResolvedSchema['validate']> {
  try {
    return schema.validate(content)
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    const problem = `Invalid result for elicitation/create: content is too much to check: ${error.message}`
    throw new InvalidResultError(problem, 'content', { cause: error })
  }
}

/** The fields fit the form; the author's schema may know further rules, and may transform. */
async function accept(
  schema: ResolvedSchema,
  nullNames: readonly string[],
  { content }: FormAnswer & { action: 'accept' },
): Promise<ElicitOutcome<unknown>> {
  const leftOut = nullNames.filter((name) => !Object.hasOwn(content, name)).map((name) => [name, null] as const)
  const whole = leftOut.length === 0 ? content : { ...content, ...Object.fromEntries(leftOut) }
  const validation = await validateWithin(schema, whole)
  if (validation.ok) return { action: 'accept', content: validation.value }
  const reasons = validation.issues.map(({ message }) => message).join('; ')
  const path = formatPath(['content', ...(validation.issues[0]?.path ?? [])])
  throw new InvalidResultError(`Invalid result for elicitation/create: content does not fit: ${reasons}`, path)
}
