// Arguments that the input schema of a tool allows: any of them, by a seed.
import fc from 'fast-check'
import { listOf, objectOf, type Schema } from './document.ts'

/** What can be written in one place so that it can be read again without doubt. */
export interface Writing {
  readonly text: fc.Arbitrary<string>
  /** A point separates values in some styles. */
  readonly hasFractions: boolean
  readonly hasNull: boolean
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const stringOf = (alphabet: string) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 12 }).filter((text) => text.trim() === text)

export const WRITINGS = {
  /** Everything that percent-encoding or JSON can carry. */
  any: { text: stringOf(`${letters} -_.~!*'();:@&=+$,/?#[]%"<>\\|{}éß日🙂`), hasFractions: true, hasNull: false },
  json: { text: stringOf(`${letters} -_.~!*'();:@&=+$,/?#[]%"<>\\|{}éß日🙂\n\t`), hasFractions: true, hasNull: true },
  path: { text: stringOf(`${letters} -_~!*'();:@&=+$,?#[]"<>|{}éß日`), hasFractions: true, hasNull: false },
  plain: { text: stringOf(`${letters}-_`), hasFractions: true, hasNull: false },
  label: { text: stringOf(letters), hasFractions: false, hasNull: false },
  reserved: { text: stringOf(`${letters}-_.~!*'();:@$,/?`), hasFractions: true, hasNull: false },
} satisfies Record<string, Writing>

interface Scope {
  readonly definitions: Schema
  readonly writing: Writing
  readonly depth: number
}

const MAX_DEPTH = 5
/** Beyond this, schemas that need themselves get no more values: such arguments are none. */
const END = 12

/** `writingOf` says how each argument is written. `isFull` gives all of them, else those that are required and some others. */
export function argumentsFor(
  input: Schema,
  writingOf: (argument: string) => Writing,
  isFull: boolean,
): fc.Arbitrary<Schema> {
  const required = new Set(listOf(input['required']))
  const model: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, schema] of Object.entries(objectOf(input['properties']))) {
    const scope = { definitions: objectOf(input['$defs']), writing: writingOf(name), depth: 0 }
    model[name] = valueFor(schema, scope)
  }
  const requiredKeys = Object.keys(model).filter((name) => isFull || required.has(name))
  return fc.record(model, { requiredKeys }) as fc.Arbitrary<Schema>
}

function valueFor(given: unknown, scope: Scope): fc.Arbitrary<unknown> {
  if (scope.depth > END) return fc.constant({})
  const schema = objectOf(given)
  const { $ref, anyOf, oneOf, allOf, ...own } = schema
  if (typeof $ref === 'string') {
    const target = objectOf(scope.definitions[decodeURIComponent($ref.slice('#/$defs/'.length))])
    return valueFor({ ...target, ...own }, { ...scope, depth: scope.depth + 1 })
  }
  if (Object.hasOwn(schema, 'const')) return fc.constant(schema['const'])
  const choices = listOf(schema['enum']).filter((value) => scope.writing.hasNull || value !== null)
  if (choices.length > 0) return fc.constantFrom(...choices)
  const unions = [anyOf, oneOf].filter(Array.isArray)
  if (unions.length > 0) {
    const parts = unions[0]?.filter((part: unknown) => scope.writing.hasNull || objectOf(part)['type'] !== 'null') ?? []
    const merged = (scope.depth > MAX_DEPTH ? parts.slice(0, 1) : parts).map((part: unknown) =>
      valueFor(merge([own, part, ...listOf(allOf)], scope), { ...scope, depth: scope.depth + 1 }),
    )
    return merged.length === 0 ? fc.constant(null) : fc.oneof(...merged)
  }
  if (Array.isArray(allOf)) return valueFor(merge([own, ...allOf], scope), { ...scope, depth: scope.depth + 1 })
  return fc.oneof(...typesOf(schema, scope).map((type) => typedValue(type, schema, scope)))
}

/** One schema that says what all of these say, as far as a value can be made of it. */
function merge(parts: readonly unknown[], scope: Scope): Schema {
  let merged: Schema = {}
  for (const part of parts) {
    let schema = objectOf(part)
    for (let hops = 0; typeof schema['$ref'] === 'string' && hops < 10; hops++) {
      schema = objectOf(scope.definitions[decodeURIComponent(schema['$ref'].slice('#/$defs/'.length))])
    }
    if (Array.isArray(schema['allOf'])) {
      const { allOf, ...own } = schema
      schema = merge([own, ...(allOf as unknown[])], scope)
    }
    const properties = { ...objectOf(merged['properties']), ...objectOf(schema['properties']) }
    const required = [...listOf(merged['required']), ...listOf(schema['required'])]
    merged = {
      ...merged,
      ...schema,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    }
  }
  return merged
}

function typesOf(schema: Schema, { writing }: Scope): string[] {
  const given = [schema['type']].flat().filter((type): type is string => typeof type === 'string')
  const types = given.filter((type) => writing.hasNull || type !== 'null')
  if (types.length > 0) return types
  if (schema['properties'] !== undefined) return ['object']
  if (schema['items'] !== undefined) return ['array']
  return ['string']
}

function typedValue(type: string, schema: Schema, scope: Scope): fc.Arbitrary<unknown> {
  if (type === 'object') return objectValue(schema, scope)
  if (type === 'array') return listValue(schema, scope)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer' || type === 'number') return numberValue(type, schema, scope)
  return textValue(schema, scope)
}

function numberValue(type: string, schema: Schema, { writing }: Scope): fc.Arbitrary<number> {
  const bound = (key: string) => (typeof schema[key] === 'number' ? schema[key] : undefined)
  const step = bound('multipleOf') ?? (type === 'integer' || !writing.hasFractions ? 1 : 0.5)
  const exclusiveMin = bound('exclusiveMinimum')
  const exclusiveMax = bound('exclusiveMaximum')
  const least = Math.max(bound('minimum') ?? -1_000, exclusiveMin === undefined ? -Infinity : exclusiveMin + step)
  const most = Math.max(
    least,
    Math.min(bound('maximum') ?? least + 2_000, exclusiveMax === undefined ? Infinity : exclusiveMax - step),
  )
  const [first, last] = [Math.ceil(least / step), Math.floor(most / step)]
  return fc
    .integer({ min: Math.max(first, -1e9), max: Math.max(Math.min(last, 1e9), first) })
    .map((count) => count * step || 0)
}

const TIME = { min: new Date('2000-01-01T00:00:00Z'), max: new Date('2030-01-01T00:00:00Z'), noInvalidDate: true }
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: fc.date(TIME).map((date) => date.toISOString().slice(0, 10)),
  'date-time': fc.date(TIME).map((date) => date.toISOString()),
  time: fc.constant('10:11:12Z'),
  duration: fc.constant('P1DT2H'),
  uuid: fc.uuid(),
  email: fc.constantFrom('ada@example.com', 'o.k+tag@example.org'),
  hostname: fc.constant('api.example.com'),
  ipv4: fc.constant('192.0.2.7'),
  ipv6: fc.constant('2001:db8::7'),
  url: fc.constant('https://example.com/a'),
  'uri-template': fc.constant('/a/{b}'),
  'relative-json-pointer': fc.constant('1/a'),
  'json-pointer-uri-fragment': fc.constant('#/a'),
  uri: fc.constantFrom('https://example.com/a?b=c&d#e', 'urn:x:y'),
  'uri-reference': fc.constant('/a?b=c'),
  'json-pointer': fc.constant('/a/b'),
  regex: fc.constant('a+'),
  byte: fc.constantFrom('aGVsbG8=', 'AP8='),
}

function textValue(schema: Schema, { writing }: Scope): fc.Arbitrary<string> {
  const { format, pattern, contentEncoding, minLength, maxLength } = schema
  if (contentEncoding === 'base64') return FORMATS['byte'] as fc.Arbitrary<string>
  if (typeof format === 'string' && FORMATS[format] !== undefined) return FORMATS[format]
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern)).filter((text) => text !== '')
  const least = typeof minLength === 'number' ? minLength : 1
  const most = typeof maxLength === 'number' ? maxLength : Infinity
  return writing.text.map((text) => {
    const long = Array.from(text.padEnd(least, text))
    return long
      .slice(0, Math.max(least, Math.min(long.length, most)))
      .join('')
      .trim()
      .padEnd(least, 'x')
  })
}

function listValue(schema: Schema, scope: Scope): fc.Arbitrary<unknown[]> {
  const { items, prefixItems, minItems, maxItems, uniqueItems } = schema
  const inner = { ...scope, depth: scope.depth + 1 }
  if (Array.isArray(prefixItems)) return fc.tuple(...prefixItems.map((item) => valueFor(item, inner)))
  const least = typeof minItems === 'number' ? minItems : scope.depth > MAX_DEPTH ? 0 : 1
  const most = Math.max(least, Math.min(typeof maxItems === 'number' ? maxItems : 3, least + 2))
  if (scope.depth > MAX_DEPTH && least === 0) return fc.constant([])
  const lengths = { minLength: least, maxLength: most }
  const item = valueFor(items, inner)
  return uniqueItems === true
    ? fc.uniqueArray(item, { ...lengths, selector: (value) => JSON.stringify(value) })
    : fc.array(item, lengths)
}

/** A type in the argument of a file is a text to its schema, and more to the program. */
const MIME_TYPES = fc.constantFrom('image/png', 'text/plain; charset=utf-8')

function objectValue(schema: Schema, scope: Scope): fc.Arbitrary<Schema> {
  const required = listOf(schema['required']) as string[]
  const inner = { ...scope, depth: scope.depth + 1 }
  const isDeep = scope.depth >= MAX_DEPTH
  const entries = Object.entries(objectOf(schema['properties'])).filter(([name]) => !isDeep || required.includes(name))
  const missing = required
    .filter((name) => !entries.some(([known]) => known === name))
    .map((name) => [name, {}] as const)
  const model = Object.fromEntries(
    [...entries, ...missing].map(([name, member]) => [
      name,
      name === 'mimeType' ? MIME_TYPES : valueFor(member, inner),
    ]),
  )
  if (Object.keys(model).length === 0) {
    const { additionalProperties } = schema
    if (additionalProperties === false || isDeep) return fc.constant({})
    return fc.dictionary(fc.constantFrom('other1', 'other2', 'other3'), valueFor(additionalProperties, inner), {
      minKeys: 1,
    })
  }
  const always = required.length > 0 ? required : Object.keys(model).slice(0, 1)
  return fc.record(model, { requiredKeys: always }) as fc.Arbitrary<Schema>
}
