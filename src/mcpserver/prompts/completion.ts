// Suggestions for arguments: completers, `completable` schemas, and the result of a completion.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { quote } from '../../schema/json-schema.ts'
import type { CompleteResult, Completion } from '../../types/features/completion.ts'
import type { Context } from '../handlers/context.ts'

/** What a completer knows besides the value. */
export interface CompletionRequest<Life = unknown> {
  /** The arguments that are already filled in. */
  readonly arguments: Readonly<Record<string, string>>
  /** The context of the request, as a handler gets it. */
  readonly ctx: Context<Life>
}

/** Suggests values for what the user has typed so far, the best first. A result has at most 100, and `hasMore` if there are more. */
export type Completer<Life = unknown> = (
  value: string,
  context: CompletionRequest<Life>,
) => MaybePromise<readonly string[] | Completion>

/** Completers by the name of the argument or variable. */
export type Completers<Life = unknown> = { readonly [name: string]: Completer<Life> }

/** Spec, Completion: no more than this many values in one answer. */
const MAX_VALUES = 100

export function toCompleteResult(suggested: readonly string[] | Completion): CompleteResult {
  const { values, total, hasMore }: Completion = isValueList(suggested) ? { values: [...suggested] } : suggested
  if (values.length <= MAX_VALUES) {
    return { completion: { values, ...(total !== undefined && { total }), ...(hasMore !== undefined && { hasMore }) } }
  }
  return { completion: { values: values.slice(0, MAX_VALUES), total: total ?? values.length, hasMore: true } }
}

function isValueList(suggested: readonly string[] | Completion): suggested is readonly string[] {
  return Array.isArray(suggested)
}

const COMPLETER = Symbol.for('mcpwire.completer')

/**
 * Adds suggestions to the schema of one argument, for fields of zod and JSON Schema objects, also when the field is wrapped later.
 * For schemas of other libraries use the option `complete` or `server.completion`. A plain object is copied; an instance of a
 * class is marked itself, so use it for one argument only.
 *
 * @example
 * ```ts
 * import { completable } from 'mcpwire'
 * import { z } from 'zod'
 * const city = completable(z.string(), (typed) => ['Berlin', 'Bern'].filter((name) => name.startsWith(typed)))
 * server.prompt('weather', { input: z.object({ city }) }, (args) => `Weather in ${args.city}?`)
 * ```
 */
export function completable<S extends object>(schema: S, completer: Completer): S {
  if (typeof completer !== 'function')
    throw typeError('bad-definition', 'completable() needs a function that returns suggestions as its second argument.')
  checkCompletableLibrary(schema)
  if (Object.getPrototypeOf(schema) === Object.prototype) return { ...schema, [COMPLETER]: completer }
  if (Object.hasOwn(schema, COMPLETER))
    throw typeError('bad-definition', 'This schema is already completable. Create one schema per argument.')
  Object.defineProperty(schema, COMPLETER, { value: completer })
  return schema
}

/** ArkType shares one instance between equal schemas, and Valibot does not expose its fields. */
function checkCompletableLibrary(schema: object): void {
  const vendor = schemaMember(schemaMember(schema, '~standard'), 'vendor')
  if (vendor === undefined || vendor === 'zod') return
  throw typeError(
    'bad-definition',
    `A ${quote(String(vendor))} schema can't be made completable. Set the option complete of the prompt, ` +
      'or call server.completion().',
  )
}

/** The completers that `completable` added to the fields of an object schema. */
export function completersIn(schema: object | undefined): Map<string, Completer> {
  const found = new Map<string, Completer>()
  const fields = firstAlong(schema, schemaFieldsOf) ?? {}
  for (const [name, field] of Object.entries(fields)) {
    const completer = firstAlong(field, (layer) => (layer as { [COMPLETER]?: Completer })[COMPLETER])
    if (completer !== undefined) found.set(name, completer)
  }
  return found
}

/** `shape` in zod, `properties` in JSON Schema. */
function schemaFieldsOf(schema: object): Record<string, unknown> | undefined {
  for (const member of ['shape', 'properties']) {
    const fields = schemaMember(schema, member)
    if (isPlainObject(fields)) return fields
  }
  return undefined
}

const MAX_LAYERS = 32

/** The first match in a schema, in the schema it was derived from, or in the one that it wraps. */
function firstAlong<T>(schema: unknown, find: (layer: object) => T | undefined): T | undefined {
  // The loop also visits the layers that it adds.
  const layers: unknown[] = [schema]
  for (const layer of layers) {
    if ((typeof layer !== 'object' && typeof layer !== 'function') || layer === null) continue
    const found = find(layer)
    if (found !== undefined) return found
    if (layers.length < MAX_LAYERS) layers.push(...layersUnder(layer))
  }
  return undefined
}

/** Zod: with `.describe()` and `.min()` a schema has a parent, with `.optional()` an inner type, with `.transform()` an input. */
function layersUnder(schema: object): unknown[] {
  const def = schemaMember(schema, 'def')
  return [
    schemaMember(schemaMember(schema, '_zod'), 'parent'),
    ...['innerType', 'in', 'out'].map((name) => schemaMember(def, name)),
  ]
}

function schemaMember(value: unknown, name: string): unknown {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isHolder ? (value as unknown as Record<string, unknown>)[name] : undefined
}
