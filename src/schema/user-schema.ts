// Resolves the schemas that users bring, of whatever library: to a JSON Schema to publish, and a function that validates.

import { isKeyword } from '../../packages/json-schema/src/dialect.ts'
import { isThenable } from '../primitives/async/promises.ts'
import { withHelp } from '../primitives/help.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { SchemaEngine } from './engine.ts'
import {
  createIssue,
  DEFAULT_SCHEMA_LIMITS,
  escapePointer,
  type Issue,
  type JSONSchemaObject,
  labelOf,
  quote,
  SchemaError,
  toLine,
  type Validation,
} from './json-schema.ts'
import type { ReadingEngine } from './reading-engine.ts'
import type {
  InferOutput,
  StandardIssue,
  StandardJSONSchema,
  StandardResult,
  StandardSchema,
} from './standard-schema.ts'
import { expandUnion } from './union-issues.ts'

/** Which side of a schema that transforms: what goes in, or what comes out. */
export type SchemaDirection = 'input' | 'output'

/** A schema of whatever origin, ready to be published and to validate. */
export interface ResolvedSchema<Value = unknown> {
  /** The schema as JSON Schema, for lists. */
  readonly jsonSchema: JSONSchemaObject
  /** A promise only where the schema library validates asynchronously. */
  validate(value: unknown): Validation<Value> | Promise<Validation<Value>>
}

/** The same of an engine that may be loaded later, with the first value. */
export interface ReadSchema<Value = unknown> extends ResolvedSchema<Value> {
  /** Rejects with the `SchemaError` of a schema that only the loaded engine can judge. */
  readonly settling?: Promise<unknown> | undefined
}

/** Options of `resolveSchema()`. */
export interface ResolveSchemaOptions {
  /** Whether values come in (`input`) or go out (`output`). Schemas with transforms differ. */
  readonly direction: SchemaDirection
  /** Validates schemas that are plain JSON Schema. */
  readonly engine: SchemaEngine
  /** The JSON Schema of a schema that cannot describe itself. */
  readonly jsonSchema?: JSONSchemaObject | undefined
}

export const RESOLVE_SCHEMA_KEYS: KnownKeys<ResolveSchemaOptions> = {
  direction: true,
  engine: true,
  jsonSchema: true,
}

/**
 * Takes a Standard Schema that describes itself as JSON Schema, or a plain JSON Schema. `SchemaError` where
 * the description is missing, with the way to supply it, and where the JSON Schema is not usable.
 */
export function resolveSchema<Schema extends object>(
  schema: Schema,
  options: ResolveSchemaOptions,
): ResolvedSchema<InferOutput<Schema>> {
  checkKeys('resolveSchema()', options, RESOLVE_SCHEMA_KEYS)
  return readUserSchema(schema, options)
}

/** The same options, with an engine that may be loaded later. */
export interface ReadOptions extends Omit<ResolveSchemaOptions, 'engine'> {
  readonly engine: ReadingEngine
}

export function readUserSchema<Schema extends object>(
  schema: Schema,
  options: ReadOptions,
): ReadSchema<InferOutput<Schema>> {
  const resolved = isStandard(schema) ? resolveStandard(schema, options) : resolveJsonSchema(schema, options)
  return resolved as ReadSchema<InferOutput<Schema>>
}

const UNDESCRIBED = 'schema-cannot-describe-itself'

/** ArkType's schemas are functions, so any object or function with the member counts. */
function isStandard(schema: unknown): schema is StandardSchema {
  const isHolder = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  if (!isHolder || !('~standard' in schema)) return false
  const standard = schema['~standard']
  return isPlainObject(standard) && typeof standard['validate'] === 'function'
}

function resolveJsonSchema(schema: unknown, { engine }: ReadOptions): ReadSchema {
  if (!isPlainObject(schema)) {
    throw withHelp(
      'input-not-a-schema',
      new SchemaError('expected a Standard Schema or a JSON Schema that is an object'),
    )
  }
  rejectSchemasWithin(schema, [], new Set())
  if (isMapOfSchemas(schema)) {
    const wrapped = '{ type: "object", properties: { … } }'
    throw withHelp(
      'raw-shape',
      new SchemaError(`this is a map of schemas, which would check nothing: wrap it, as in ${wrapped}`),
    )
  }
  const validator = engine.compile(schema)
  return {
    jsonSchema: schema,
    settling: validator.settling,
    validate(value) {
      const issues = validator.validate(value)
      return isThenable(issues) ? issues.then((found) => toOutcome(value, found)) : toOutcome(value, issues)
    },
  }
}

function toOutcome(value: unknown, issues: readonly Issue[]): Validation {
  return issues.length === 0 ? { ok: true, value } : { ok: false, issues }
}

/** JSON Schema takes what it does not know for a comment: a map of schemas would be one that accepts everything. */
function rejectSchemasWithin(holder: object, path: readonly string[], seen: Set<object>): void {
  seen.add(holder)
  for (const [key, member] of Object.entries(holder)) {
    const vendor = vendorOf(member)
    if (vendor !== undefined) {
      const place = ['#', ...path, key].map(escapePointer).join('/')
      throw path.length === 0
        ? withHelp('raw-shape', new SchemaError(adviseWrapping(vendor, holder), place))
        : withHelp('bad-json-schema', new SchemaError(adviseRewriting(vendor), place))
    }
    if (typeof member !== 'object' || member === null || seen.has(member)) continue
    rejectSchemasWithin(member, [...path, key], seen)
  }
}

/** Nothing in it is a keyword, and yet there are schemas and nothing else: what belongs under `properties`. */
function isMapOfSchemas(schema: JSONSchemaObject): boolean {
  if (Object.hasOwn(schema, '$ref') || Object.hasOwn(schema, '$dynamicRef')) return false
  const entries = Object.entries(schema).filter(([name]) => !name.startsWith('$') && !name.startsWith('x-'))
  if (entries.some(([name]) => isKeyword(name))) return false
  if (!entries.every(([, member]) => isPlainObject(member))) return false
  return entries.some(([, member]) => Object.keys(member as object).some(isKeyword))
}

/** What `z.toJSONSchema` makes is JSON, and a Standard Schema only besides. */
function isDescription(schema: object): boolean {
  return Object.getPrototypeOf(schema) === Object.prototype && !Object.keys(schema).includes('~standard')
}

/** The library that a schema within a JSON Schema is of; `undefined` for what may stand there. */
function vendorOf(member: unknown): string | undefined {
  if (isStandard(member)) return isDescription(member) ? undefined : member['~standard'].vendor
  // Zod before it was a Standard Schema.
  return isPlainObject(member) && '_def' in member && typeof member['safeParse'] === 'function' ? 'zod' : undefined
}

function adviseRewriting(vendor: string): string {
  return `a JSON Schema cannot hold a ${quote(vendor)} schema: write the whole schema with that library`
}

function adviseWrapping(vendor: string, shape: object): string {
  const wrapped = WRAPPED[vendor]?.replace('…', showShape(vendor, shape)) ?? 'the object schema of that library'
  return `this is a map of ${quote(vendor)} schemas, which would check nothing: wrap it, as in ${wrapped}`
}

const MAX_SHOWN_FIELDS = 3

function showShape(vendor: string, shape: object): string {
  const fields = Object.entries(shape).map(([name, field]) => {
    const key = /^[A-Za-z_$][\w$]{0,40}$/.test(name) ? name : JSON.stringify(name.slice(0, 40))
    return `${key}: ${vendor === 'zod' ? showZod(field) : '…'}`
  })
  return [...fields.slice(0, MAX_SHOWN_FIELDS), ...(fields.length > MAX_SHOWN_FIELDS ? ['…'] : [])].join(', ')
}

const PLAIN_ZOD = /^(?:string|number|boolean|bigint|date|any|unknown|null|undefined)$/

/** As its author wrote it, where that takes one word. */
function showZod(field: unknown): string {
  const holder = field as { def?: { type?: unknown }; _def?: { typeName?: unknown } } | undefined
  const type = holder?.def?.type ?? String(holder?._def?.typeName ?? '').replace(/^Zod/, '')
  const name = String(type).toLowerCase()
  return PLAIN_ZOD.test(name) ? `z.${name}()` : '…'
}

const WRAPPED: { readonly [vendor: string]: string | undefined } = {
  zod: 'z.object({ … })',
  valibot: 'toStandardJsonSchema(v.object({ … }))',
  arktype: 'type({ … })',
}

function resolveStandard(schema: StandardSchema, options: ReadOptions): ResolvedSchema {
  const standard = schema['~standard']
  return {
    jsonSchema: options.jsonSchema ?? describe(schema, options.direction),
    validate(value) {
      const result = standard.validate(value)
      return 'then' in result ? result.then(toValidation) : toValidation(result)
    },
  }
}

function describe(schema: StandardSchema, direction: SchemaDirection): JSONSchemaObject {
  const { vendor } = schema['~standard']
  if (!describesItself(schema)) {
    throw withHelp(UNDESCRIBED, new SchemaError(`the ${quote(vendor)} schema ${missingDescription(schema, direction)}`))
  }
  const described = convert(schema, direction)
  if (isPlainObject(described)) return described
  throw withHelp(
    UNDESCRIBED,
    new SchemaError(`the ${quote(vendor)} schema describes itself as something that is not an object`),
  )
}

function convert(schema: StandardJSONSchema, direction: SchemaDirection): unknown {
  const { vendor, jsonSchema } = schema['~standard']
  try {
    return jsonSchema[direction]({ target: 'draft-2020-12' })
  } catch (cause) {
    const why = cause instanceof Error ? ` (${cause.message})` : ''
    const reason = `the ${quote(vendor)} schema has a part that JSON Schema cannot express${why}; ${beside(direction)}`
    throw withHelp(UNDESCRIBED, new SchemaError(reason, '#', { cause }))
  }
}

function describesItself(schema: object): schema is StandardJSONSchema {
  const standard = (schema as StandardSchema)['~standard']
  return 'jsonSchema' in standard && isPlainObject(standard.jsonSchema)
}

/** Tools and prompts have an option for it; `resolveSchema` calls it `jsonSchema`. */
function beside(direction: SchemaDirection): string {
  return `pass a JSON Schema beside it, as ${direction}JsonSchema`
}

function missingDescription(schema: StandardSchema, direction: SchemaDirection): string {
  const { vendor } = schema['~standard']
  const missing = 'does not describe itself as JSON Schema;'
  if (vendor === 'zod') return `${missing} ${adviceForZod(schema, direction)}`
  if (vendor === 'valibot') return `${missing} wrap it with toStandardJsonSchema() of "@valibot/to-json-schema"`
  if (vendor === 'arktype') return `${missing} update "arktype" to 2.1.28 or later, or ${beside(direction)}`
  return `${missing} ${beside(direction)}`
}

function adviceForZod(schema: object, direction: SchemaDirection): string {
  // The core of version 4, which the schemas of "zod/mini" have as well.
  if (!('_zod' in schema)) {
    return `it is of zod 3: use "zod" 4.2 or later, or ${beside(direction)}, made with "zod-to-json-schema"`
  }
  const isMini = !('optional' in schema)
  const better = isMini ? 'use "zod" instead of "zod/mini"' : 'update "zod" to 4.2 or later'
  return `${better}, or ${beside(direction)}, made with z.toJSONSchema(schema)`
}

function toValidation(result: StandardResult<unknown>): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value }
  // Some libraries return lists of classes of their own; what leaves here is plain.
  const { maxIssues } = DEFAULT_SCHEMA_LIMITS
  const issues = Array.from(result.issues).slice(0, maxIssues)
  const expanded = issues.flatMap((issue) => expandUnion(issue)).slice(0, maxIssues)
  return { ok: false, issues: expanded.map(toIssue) }
}

const MAX_MESSAGE_LENGTH = 500

function toIssue({ message, path = [] }: StandardIssue): Issue {
  const keys = Array.from(path, toKey)
  const label = labelOf(keys)
  // ArkType begins with the place as well.
  const startsWithLabel = label !== '' && message.startsWith(`${label} `)
  return createIssue(toLine(startsWithLabel ? message.slice(label.length + 1) : message, MAX_MESSAGE_LENGTH), keys)
}

function toKey(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' ? segment.key : segment
  return typeof key === 'symbol' ? String(key) : key
}
