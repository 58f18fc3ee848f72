// Checks elicitations: forms are flat objects of primitive fields, answers match the form, and URLs can be opened in a browser.

import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { CONTROL_CHARACTER } from '../../primitives/characters.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { tellsFit } from '../../schema/fits.ts'
import type { Issue, JSONSchemaObject } from '../../schema/json-schema.ts'
import { SchemaError } from '../../schema/json-schema.ts'
import { createReadingEngine, type LateValidator } from '../../schema/reading-engine.ts'
import { InvalidResultError, LimitError } from '../../types/errors/failures.ts'
import type {
  ElicitAction,
  ElicitContent,
  ElicitRequestedSchema,
  ElicitResult,
} from '../../types/features/elicitation.ts'
import { LATEST_PROTOCOL_VERSION } from '../../types/protocol/versions.ts'
import { grammarOf, type ShapeName } from '../../wire/shapes/grammar.ts'
import { formatMisfit, formatPath } from '../../wire/shapes/misfit.ts'

// The newest revision has every kind of field. The kernel removes what the client's revision does not have.
const grammar = grammarOf(LATEST_PROTOCOL_VERSION)
const engine = createReadingEngine({ formats: 'assert' }, tellsFit)

/** The user's answer to a form. Only an accepted form has content. */
export type FormAnswer =
  | { readonly action: 'accept'; readonly content: ElicitContent }
  | { readonly action: Exclude<ElicitAction, 'accept'> }

/**
 * Throws `TypeError` with the path when this is not a form: a flat object whose fields are strings, numbers, booleans
 * or choices. Other keywords are allowed: clients ignore them, and answers are validated against them.
 */
export function checkRequestedSchema(schema: unknown): asserts schema is ElicitRequestedSchema {
  if (!isPlainObject(schema) || schema['type'] !== 'object') throw notAForm('it must be an object schema')
  const { properties, required } = schema
  if (!isPlainObject(properties)) throw notAForm('properties: expected object')
  for (const [name, field] of Object.entries(properties)) checkField(name, field)
  if (required !== undefined) checkRequired(required, properties)
  validatorOf(schema)
}

function checkField(name: string, field: unknown): void {
  const shape = isPlainObject(field) ? shapeOfField(field) : undefined
  if (shape === undefined) {
    const place = formatPath(['properties', name])
    throw notAForm(`${place}: a field must be a string, number, integer or boolean, or an array of choices`)
  }
  const misfit = grammar.misfit(shape, field)
  if (misfit !== undefined) throw notAForm(formatMisfit({ ...misfit, path: ['properties', name, ...misfit.path] }))
}

/** Selected by `type`, because the shape of plain strings is open and would accept a malformed choice. */
function shapeOfField(field: Record<string, unknown>): ShapeName | undefined {
  switch (field['type']) {
    case 'string':
      if (field['enum'] !== undefined) return 'LegacyTitledEnumSchema'
      return field['oneOf'] === undefined ? 'StringSchema' : 'TitledSingleSelectEnumSchema'
    case 'number':
    case 'integer':
      return 'NumberSchema'
    case 'boolean':
      return 'BooleanSchema'
    case 'array': {
      const isTitled = ownMember(field['items'], 'anyOf') !== undefined
      return isTitled ? 'TitledMultiSelectEnumSchema' : 'UntitledMultiSelectEnumSchema'
    }
    default:
      return undefined
  }
}

function checkRequired(required: unknown, properties: Record<string, unknown>): void {
  if (!Array.isArray(required)) throw notAForm('required: expected array')
  const index = required.findIndex((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))
  if (index !== -1) throw notAForm(`required[${index}]: it must name one of the properties`)
}

/** Rejects with `TypeError` where a pattern of the form is not safe, which takes the engine to tell. `undefined` for most forms. */
export function settleForm(schema: ElicitRequestedSchema): Promise<unknown> | undefined {
  return validatorOf(schema).settling?.catch(throwNoForm)
}

function validatorOf(schema: object): LateValidator {
  try {
    return engine.compile(schema as JSONSchemaObject)
  } catch (error) {
    return throwNoForm(error)
  }
}

function throwNoForm(error: unknown): never {
  if (error instanceof SchemaError) throw notAForm(`${error.schemaPath}: ${error.reason}`, { cause: error })
  throw error
}

function notAForm(problem: string, options?: { cause: unknown }): TypeError {
  return typeError('wrong-argument', `Cannot elicit with this requestedSchema: ${problem}`, options)
}

/**
 * The user's answer to a form. Fails with `InvalidResultError` when accepted content does not match the schema; the content of a
 * declined form is dropped. A schema object is compiled once, so it must not change between two uses.
 */
export function checkElicitAnswer(schema: ElicitRequestedSchema, result: unknown): MaybePromise<FormAnswer> {
  checkElicitResult(result)
  if (result.action !== 'accept') return { action: result.action }
  const { content = {} } = result
  return whenDone(findIssues(validatorOf(schema), content), (issues) => {
    const [first] = issues
    if (first === undefined) return { action: 'accept', content }
    const reasons = issues.map(({ message }) => message).join('; ')
    throw invalidAnswer(`content does not fit the requested schema: ${reasons}`, ['content', ...first.path])
  })
}

function findIssues(validator: LateValidator, content: unknown): MaybePromise<readonly Issue[]> {
  try {
    const issues = validator.validate(content)
    return isThenable(issues) ? issues.catch(throwTooMuch) : issues
  } catch (error) {
    return throwTooMuch(error)
  }
}

function throwTooMuch(error: unknown): never {
  if (error instanceof LimitError) throw invalidAnswer(`content is too much to check: ${error.message}`, ['content'])
  throw error
}

/** The user's answer to a URL elicitation: `accept` means that the user agreed to open it, not that the interaction is over. */
export function checkElicitUrlAnswer(result: unknown): { readonly action: ElicitAction } {
  checkElicitResult(result)
  return { action: result.action }
}

function checkElicitResult(result: unknown): asserts result is ElicitResult {
  const misfit = grammar.misfit('ElicitResult', result)
  if (misfit !== undefined) throw invalidAnswer(formatMisfit(misfit), misfit.path)
}

function invalidAnswer(problem: string, path: readonly (string | number)[]): InvalidResultError {
  return new InvalidResultError(`Invalid result for elicitation/create: ${problem}`, formatPath(path))
}

/**
 * Throws `TypeError` unless this is an absolute http or https URL, written without blanks and without a user name or
 * password in it: the client shows it to the user, who should see where it leads.
 */
export function checkElicitUrl(url: string): void {
  // The URL parser silently removes spaces and line breaks, and adds slashes.
  const isWellFormed = /^https?:\/\/\S+$/i.test(url) && !CONTROL_CHARACTER.test(url) && URL.canParse(url)
  if (!isWellFormed) throw notAUrl('it is not an absolute http or https URL')
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') throw notAUrl('it holds a user name or a password')
}

function notAUrl(problem: string): TypeError {
  return typeError('wrong-argument', `Cannot elicit with this url: ${problem}`)
}
