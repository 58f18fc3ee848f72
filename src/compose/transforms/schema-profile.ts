// `schemaProfile`: input schemas in the subset that some model APIs take.
import { rangeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { Tool, ToolInputSchema } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Transform } from '../sources/transform.ts'
import { KEEPS_KEYS } from './layer-maps.ts'
import { MapLayer } from './map-layer.ts'

/** `openai`: no siblings of `$ref`, no unions at the root. `strict`: that, and every object closed with all its members required. */
export type SchemaProfile = 'openai' | 'strict'

const UNIONS = ['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const'] as const
const MAX_DEPTH = 64

/** Lists input schemas as a model API takes them. The tool itself still checks arguments by its own schema. */
export function schemaProfile(profile: SchemaProfile): Transform {
  if (profile !== 'openai' && profile !== 'strict')
    throw rangeError('wrong-argument', `schemaProfile() takes 'openai' or 'strict', not ${JSON.stringify(profile)}.`)
  return (source) =>
    new MapLayer(source, {
      maps: {
        'tools/list': (item) => ({ ...item, inputSchema: fitRoot((item as Tool).inputSchema, profile) }) as Tool,
      },
      call:
        profile === 'strict'
          ? (params, next) => next({ ...params, arguments: withoutNulls((params['arguments'] ?? {}) as JSONObject) })
          : undefined,
      isPerCaller: false,
      ...KEEPS_KEYS,
    })
}

function fitRoot(schema: ToolInputSchema, profile: SchemaProfile): ToolInputSchema {
  const root: JSONObject = { ...schema, type: 'object', properties: schema.properties ?? {} }
  for (const keyword of UNIONS) {
    const arms = root[keyword]
    delete root[keyword]
    if (Array.isArray(arms) && keyword !== 'enum')
      root['properties'] = { ...propertiesOf(arms), ...(root['properties'] as JSONObject) }
  }
  return fitSchema(root, profile, 0) as ToolInputSchema
}

/** Members of the arms of a union: all of them may be given. */
function propertiesOf(arms: readonly unknown[]): JSONObject {
  return Object.assign(
    {},
    ...arms.map((arm) => (isPlainObject(arm) && isPlainObject(arm['properties']) ? arm['properties'] : {})),
  )
}

function fitSchema(schema: unknown, profile: SchemaProfile, depth: number): unknown {
  if (depth > MAX_DEPTH || !isPlainObject(schema)) return schema
  if (typeof schema['$ref'] === 'string') return { $ref: schema['$ref'] }
  const fitted: JSONObject = {}
  for (const [keyword, value] of Object.entries(schema)) fitted[keyword] = fitKeyword(keyword, value, profile, depth)
  if (profile === 'strict' && (schema['type'] === 'object' || isPlainObject(schema['properties'])))
    close(fitted, schema)
  return fitted
}

const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
])
const ONE: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
])
const MANY: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf', 'prefixItems'])

function fitKeyword(keyword: string, value: unknown, profile: SchemaProfile, depth: number): unknown {
  if (BY_NAME.has(keyword) && isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fitSchema(one, profile, depth + 1)]))
  if (ONE.has(keyword)) return fitSchema(value, profile, depth + 1)
  return MANY.has(keyword) && Array.isArray(value) ? value.map((one) => fitSchema(one, profile, depth + 1)) : value
}

/** Optional members become required ones that may be null. */
function close(fitted: JSONObject, schema: JSONObject): void {
  const properties = (fitted['properties'] ?? {}) as JSONObject
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const closed = Object.entries(properties).map(([name, one]) => [name, required.has(name) ? one : orNull(one)])
  fitted['properties'] = Object.fromEntries(closed)
  fitted['required'] = Object.keys(properties)
  fitted['additionalProperties'] = false
}

function orNull(schema: unknown): unknown {
  if (!isPlainObject(schema)) return schema
  const { type } = schema
  if (typeof type === 'string' && schema['enum'] === undefined && schema['const'] === undefined)
    return type === 'null' ? schema : { ...schema, type: [type, 'null'] }
  return { anyOf: [schema, { type: 'null' }] }
}

/** `null` stands for an argument that was left out. */
function withoutNulls(args: JSONObject): JSONObject {
  const given = Object.entries(args).filter(([, value]) => value !== null)
  return Object.fromEntries(given.map(([key, value]) => [key, isPlainObject(value) ? withoutNulls(value) : value]))
}
