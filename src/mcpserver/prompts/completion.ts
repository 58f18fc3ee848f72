// Suggestions for arguments: where they come from, and what a client gets of them.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { quote } from '../../schema/json-schema.ts'
import type { CompleteResult, Completion } from '../../types/features/completion.ts'
import type { Context } from '../handlers/context.ts'

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
 * Gives the schema of one argument its suggestions, for fields of zod and JSON Schema objects, whatever is made of the field
 * afterwards. Schemas of other libraries cannot be found again: use `complete` or `server.completion` with them. A plain schema
 * is copied; an instance of a class is marked itself and belongs to one argument then.
 */
export function completable<S extends object>(schema: S, completer: Completer): S {
  if (typeof completer !== 'function') throw new TypeError('completable needs a function that suggests values')
  refuseOtherLibraries(schema)
  if (Object.getPrototypeOf(schema) === Object.prototype) return { ...schema, [COMPLETER]: completer }
  if (Object.hasOwn(schema, COMPLETER)) throw new TypeError('This schema is completable already: make one per argument')
  Object.defineProperty(schema, COMPLETER, { value: completer })
  return schema
}

/** ArkType has one schema for all that say the same, Valibot hides its fields behind their description. */
function refuseOtherLibraries(schema: object): void {
  const vendor = memberOf(memberOf(schema, '~standard'), 'vendor')
  if (vendor === undefined || vendor === 'zod') return
  throw new TypeError(
    `A ${quote(String(vendor))} schema cannot be made completable: give the prompt the option \`complete\`, ` +
      'or call server.completion',
  )
}

/** The completers that `completable` left in the fields of an object schema. */
export function completersIn(schema: object | undefined): Map<string, Completer> {
  const found = new Map<string, Completer>()
  const fields = firstAlong(schema, fieldsOf) ?? {}
  for (const [name, field] of Object.entries(fields)) {
    const completer = firstAlong(field, (layer) => (layer as { [COMPLETER]?: Completer })[COMPLETER])
    if (completer !== undefined) found.set(name, completer)
  }
  return found
}

/** As zod and JSON Schema call them. */
function fieldsOf(schema: object): Record<string, unknown> | undefined {
  for (const member of ['shape', 'properties']) {
    const fields = memberOf(schema, member)
    if (isPlainObject(fields)) return fields
  }
  return undefined
}

const MAX_LAYERS = 32

/** The first that is found in a schema, in what it was derived from, or in what it is wrapped around. */
function firstAlong<T>(schema: unknown, find: (layer: object) => T | undefined): T | undefined {
  // What is added to the list meanwhile is looked at as well.
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
  const def = memberOf(schema, 'def')
  return [
    memberOf(memberOf(schema, '_zod'), 'parent'),
    ...['innerType', 'in', 'out'].map((name) => memberOf(def, name)),
  ]
}

function memberOf(value: unknown, name: string): unknown {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isHolder ? (value as unknown as Record<string, unknown>)[name] : undefined
}
