// Reads a JSON Schema for the controls that it needs. What it can't show as controls is edited as JSON.

export type Schema = Readonly<Record<string, unknown>>

export interface Option {
  readonly value: unknown
  readonly label: string
}

export interface Property {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

export type Shape =
  | { readonly kind: 'text'; readonly input: string; readonly isLong: boolean }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
  | { readonly kind: 'choices'; readonly options: readonly Option[] }
  | { readonly kind: 'object'; readonly properties: readonly Property[]; readonly extra: Schema | undefined }
  | { readonly kind: 'array'; readonly fixed: readonly Schema[]; readonly items: Schema | undefined }
  | { readonly kind: 'variants'; readonly variants: readonly Schema[] }
  | { readonly kind: 'json' }

/** Deeper than this a schema that contains itself is edited as JSON. */
const MAX_DEPTH = 6
const JSON_SHAPE: Shape = { kind: 'json' }
const INPUTS: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'datetime-local',
  time: 'time',
  email: 'email',
  uri: 'url',
  url: 'url',
  color: 'color',
  password: 'password',
}
const LONG_TEXT = 100
/** Keywords that say something which no control can show. */
const BEYOND = ['if', 'not', 'dependentSchemas', 'dependentRequired', 'unevaluatedProperties']

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Follows local references and folds `allOf` into the schema itself, where both are possible. */
export function resolve(given: unknown, root: Schema): Schema {
  let schema = isSchema(given) ? given : {}
  for (let hops = 0; typeof schema['$ref'] === 'string'; hops += 1) {
    const target = hops < 16 ? follow(schema['$ref'], root) : undefined
    if (target === undefined) return { ...schema, $ref: undefined, not: {} }
    const { $ref: _ref, ...beside } = schema
    schema = { ...target, ...beside }
  }
  const all = schema['allOf']
  if (!Array.isArray(all) || all.length === 0) return schema
  const { allOf: _all, ...rest } = schema
  return merge([rest, ...all.map((one) => resolve(one, root))]) ?? { ...rest, not: {} }
}

function follow(ref: string, root: Schema): Schema | undefined {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let at: unknown = root
  for (const part of ref.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isSchema(at) && !Array.isArray(at)) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return isSchema(at) ? at : undefined
}

/** `undefined` where two of them say different things about the same. */
function merge(schemas: readonly Schema[]): Schema | undefined {
  const merged: Record<string, unknown> = {}
  for (const schema of schemas) {
    for (const [key, value] of Object.entries(schema)) {
      const before = merged[key]
      if (before === undefined) merged[key] = value
      else if (key === 'properties') merged[key] = { ...(before as object), ...(value as object) }
      else if (key === 'required') merged[key] = [...new Set([...(before as string[]), ...(value as string[])])]
      else if (!['title', 'description'].includes(key) && JSON.stringify(before) !== JSON.stringify(value)) {
        return undefined
      }
    }
  }
  return merged
}

/** `schema` is resolved. */
export function shapeOf(schema: Schema, root: Schema, depth = 0): Shape {
  if (depth > MAX_DEPTH || BEYOND.some((keyword) => schema[keyword] !== undefined)) return JSON_SHAPE
  const options = optionsOf(schema)
  if (options !== undefined) return { kind: 'choice', options }
  const variants = variantsOf(schema, root)
  if (variants !== undefined) return variants.length === 0 ? JSON_SHAPE : { kind: 'variants', variants }
  const type = schema['type'] ?? impliedType(schema)
  switch (type) {
    case 'string':
      return textShape(schema)
    case 'number':
    case 'integer':
      return { kind: 'number', isInteger: type === 'integer' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'null':
      return { kind: 'null' }
    case 'object':
      return objectShape(schema)
    case 'array':
      return arrayShape(schema, root)
    default:
      return JSON_SHAPE
  }
}

function impliedType(schema: Schema): string | undefined {
  if (isSchema(schema['properties'])) return 'object'
  return schema['items'] !== undefined || schema['prefixItems'] !== undefined ? 'array' : undefined
}

function textShape(schema: Schema): Shape {
  const { format, maxLength, contentMediaType, writeOnly } = schema
  const input = writeOnly === true ? 'password' : (INPUTS[String(format)] ?? 'text')
  const isLong = contentMediaType !== undefined || (typeof maxLength === 'number' && maxLength > LONG_TEXT)
  return { kind: 'text', input, isLong: isLong && input === 'text' }
}

function objectShape(schema: Schema): Shape {
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : [])
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}).map(
    ([name, property]) => ({ name, schema: isSchema(property) ? property : {}, isRequired: required.has(name) }),
  )
  const more = schema['additionalProperties']
  const patterns = Object.values(isSchema(schema['patternProperties']) ? schema['patternProperties'] : {})
  const extra = isSchema(more) ? more : isSchema(patterns[0]) ? patterns[0] : more === true ? {} : undefined
  // An object without a word about its members takes any.
  return { kind: 'object', properties, extra: properties.length === 0 && more === undefined ? (extra ?? {}) : extra }
}

function arrayShape(schema: Schema, root: Schema): Shape {
  const tuple = schema['prefixItems']
  const fixed = (Array.isArray(tuple) ? tuple : []).map((one) => (isSchema(one) ? one : {}))
  const { items } = schema
  const rest = items === false ? undefined : isSchema(items) ? items : {}
  if (fixed.length === 0 && rest !== undefined) {
    const options = optionsOf(resolve(rest, root))
    if (options !== undefined && schema['uniqueItems'] !== false && options.length <= 20) {
      return { kind: 'choices', options }
    }
  }
  return { kind: 'array', fixed, items: rest }
}

/** The values of a schema that lists all of them. */
function optionsOf(schema: Schema): readonly Option[] | undefined {
  const { enum: values, enumNames, const: only } = schema
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : []
    return values.map((value, index) => ({ value, label: labelOf(value, names[index]) }))
  }
  if (only !== undefined) return [{ value: only, label: labelOf(only, schema['title']) }]
  const choices = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(choices) || choices.length === 0) return undefined
  const options = choices.map((one) =>
    isSchema(one) && one['const'] !== undefined
      ? { value: one['const'], label: labelOf(one['const'], one['title']) }
      : undefined,
  )
  return options.includes(undefined) ? undefined : (options as Option[])
}

function labelOf(value: unknown, name: unknown): string {
  if (typeof name === 'string' && name !== '') return name
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function variantsOf(schema: Schema, root: Schema): readonly Schema[] | undefined {
  const { type } = schema
  if (Array.isArray(type)) return type.map((one) => ({ ...schema, type: one as string }))
  const given = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(given)) return undefined
  const { oneOf: _oneOf, anyOf: _anyOf, title: _title, description: _description, default: _default, ...rest } = schema
  if (schema['oneOf'] !== undefined && schema['anyOf'] !== undefined) return []
  const variants = given.map((one) => merge([rest, resolve(one, root)]))
  return variants.includes(undefined) ? [] : (variants as Schema[])
}

/** How a variant is called. */
export function nameOfVariant(schema: Schema): string {
  const { title, type, const: only } = schema
  if (typeof title === 'string' && title !== '') return title
  if (type === 'null') return 'no value'
  if (only !== undefined) return labelOf(only, undefined)
  const names = Object.keys(isSchema(schema['properties']) ? schema['properties'] : {})
  if (names.length > 0) return `{ ${names.slice(0, 3).join(', ')} }`
  return typeof type === 'string' ? type : 'other'
}
