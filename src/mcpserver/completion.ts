// Suggestions for arguments: where they come from, and what a client gets of them.
import { isPlainObject } from '../primitives/objects.ts'
import type { MaybePromise } from '../server/handlers.ts'
import type { CompleteResult, Completion } from '../types/completion.ts'
import type { Context } from './context.ts'

/** What else is known while a value is being typed. */
export interface CompletionRequest<Life = unknown> {
  /** The arguments that have their value already. */
  readonly arguments: Readonly<Record<string, string>>
  readonly ctx: Context<Life>
}

/** Suggests values that go on from `value`, the best first. More than 100 are cut off, and the client is told so. */
export type Completer<Life = unknown> = (
  value: string,
  context: CompletionRequest<Life>,
) => MaybePromise<readonly string[] | Completion>

/** Completers by the name of the argument or variable. */
export type Completers<Life = unknown> = { readonly [name: string]: Completer<Life> }

/** Spec, Completion: no more than this many values in one answer. */
const MAX_VALUES = 100

export function toCompleteResult(suggested: readonly string[] | Completion): CompleteResult {
  const { values, total, hasMore }: Completion = isList(suggested) ? { values: [...suggested] } : suggested
  if (values.length <= MAX_VALUES) {
    return { completion: { values, ...(total !== undefined && { total }), ...(hasMore !== undefined && { hasMore }) } }
  }
  return { completion: { values: values.slice(0, MAX_VALUES), total: total ?? values.length, hasMore: true } }
}

function isList(suggested: readonly string[] | Completion): suggested is readonly string[] {
  return Array.isArray(suggested)
}

const COMPLETER = Symbol.for('mcpwire.completer')

/**
 * Gives the schema of one argument its suggestions. Works for fields of zod and JSON Schema objects; other libraries do not
 * let their fields be found again, so use `complete` or `server.completion` there. A plain schema is copied; an instance of
 * a class is marked itself and belongs to one argument then.
 */
export function completable<S extends object>(schema: S, completer: Completer): S {
  if (Object.getPrototypeOf(schema) === Object.prototype) return { ...schema, [COMPLETER]: completer }
  if (Object.hasOwn(schema, COMPLETER)) throw new TypeError('This schema is completable already: make one per argument')
  Object.defineProperty(schema, COMPLETER, { value: completer })
  return schema
}

/** The completers that `completable` left in the fields of an object schema. */
export function completersIn(schema: object | undefined): Map<string, Completer> {
  const found = new Map<string, Completer>()
  for (const [name, field] of Object.entries(fieldsOf(schema))) {
    const completer = completerOf(field, MAX_WRAPPERS)
    if (completer !== undefined) found.set(name, completer)
  }
  return found
}

/** As zod and JSON Schema call them. */
function fieldsOf(schema: unknown): Record<string, unknown> {
  for (const member of ['shape', 'properties']) {
    const fields = memberOf(schema, member)
    if (isPlainObject(fields)) return fields
  }
  return {}
}

const MAX_WRAPPERS = 8

/** Looks through what makes a field optional or gives it a default. */
function completerOf(field: unknown, wrappersLeft: number): Completer | undefined {
  if (typeof field !== 'object' || field === null || wrappersLeft === 0) return undefined
  const marked = (field as { [COMPLETER]?: Completer })[COMPLETER]
  if (marked !== undefined) return marked
  return completerOf(memberOf(memberOf(field, 'def'), 'innerType'), wrappersLeft - 1)
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
