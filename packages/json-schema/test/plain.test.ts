// What the plain check tells to fit, the validator must find to fit as well: over the official suite, and over values made up.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileJsonSchema } from '../src/compile.ts'
import { plainCheckOf } from '../src/plain.ts'

interface Group {
  description: string
  schema: unknown
  tests: { description: string; data: unknown; valid: boolean }[]
}

const suite = join(
  dirname(createRequire(import.meta.url).resolve('alterschema/package.json')),
  'vendor/json-schema-test-suite/tests',
)

function groupsOf(draft: string): Group[] {
  const folder = join(suite, draft)
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[])
}

describe.each([
  ['draft2020-12', 260],
  ['draft7', 240],
])('%s', (draft, known) => {
  const cases = groupsOf(draft).flatMap(({ description, schema, tests }) => {
    const fits = plainCheckOf(schema)
    return tests.map((test) => ({ ...test, name: `${description}: ${test.description}`, told: fits?.(test.data) }))
  })

  it('tells no value to fit that does not', () => {
    expect(cases.filter(({ told, valid }) => told === true && !valid).map(({ name }) => name)).toEqual([])
  })

  it('tells of many that they fit', () => {
    expect(cases.filter(({ told }) => told === true).length).toBeGreaterThan(known / 4)
    expect(cases.filter(({ told }) => told !== undefined).length).toBeGreaterThan(known / 2)
  })
})

const primitive = fc.constantFrom<unknown>('x', 'yy', '💡', '', 0, 1, 2.5, -0, true, null)
const key = fc.constantFrom('a', 'b', 'c', 'toString')
const size = fc.integer({ min: 0, max: 3 })
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.constant({}),
    fc.record(
      {
        type: fc.constantFrom<unknown>('string', 'number', 'object', 'array', ['integer', 'null'], 'boolean'),
        enum: fc.uniqueArray(primitive, { minLength: 1, maxLength: 3 }),
        const: primitive,
        minLength: size,
        maxLength: size,
        minimum: size,
        maximum: size,
        exclusiveMinimum: size,
        exclusiveMaximum: size,
        minItems: size,
        maxItems: size,
        required: fc.uniqueArray(key, { maxLength: 2 }),
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 3 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        items: fc.oneof(fc.constant(true), tie('schema')),
        description: fc.constant('text'),
      },
      { requiredKeys: [] },
    ),
  ),
}))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    primitive,
    fc.constant(undefined),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}))
/** A few keywords at a time are more likely to let values through. */
const sparse = fc.tuple(schema, fc.nat()).map(([full, seed]) => {
  const entries = Object.entries(full)
  return Object.fromEntries(entries.filter((_, index) => (index + seed) % 4 === 0))
})

it('agrees with the validator on what fits', () => {
  let told = 0
  fc.assert(
    fc.property(sparse, value, (given, candidate) => {
      if (plainCheckOf(given)?.(candidate) !== true) return
      told += 1
      expect(compileJsonSchema(given).check(candidate)).toBe(true)
    }),
    { numRuns: 5_000 },
  )
  expect(told).toBeGreaterThan(300)
})

describe('what is not plain', () => {
  it.each<[string, unknown]>([
    ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
    ['a pattern', { type: 'string', pattern: '^a' }],
    ['a format', { type: 'string', format: 'email' }],
    ['another dialect', { $schema: 'https://example.com/meta' }],
    ['an unknown keyword', { type: 'string', strange: true }],
    ['a wrong type', { type: 'text' }],
    ['no type at all', { type: [] }],
    ['a wrong bound', { minimum: '1' }],
    ['a schema that is none', { properties: { a: 1 } }],
    ['an object of a class', { properties: { a: new Date() } }],
    ['a boolean', true],
    ['a list of items', { items: [{ type: 'string' }] }],
    ['values that are objects', { enum: [{}] }],
  ])('%s', (_, given) => {
    expect(plainCheckOf(given)).toBeUndefined()
  })

  it('a schema that is too large, too deep or holds itself', () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `m${index}`)
    expect(plainCheckOf({ required: names })).toBeUndefined()
    expect(plainCheckOf({ properties: Object.fromEntries(names.map((name) => [name, {}])) })).toBeUndefined()
    let deep: object = {}
    for (let level = 0; level < 20; level++) deep = { items: deep }
    expect(plainCheckOf(deep)).toBeUndefined()
    const own: Record<string, unknown> = { type: 'object' }
    own['additionalProperties'] = own
    expect(plainCheckOf(own)).toBeUndefined()
  })
})

it('leaves a value that takes long to the validator and its limits', () => {
  const fits = plainCheckOf({ type: 'array', items: { type: 'number' } })
  expect(fits?.(Array(1_000).fill(1))).toBe(true)
  expect(fits?.(Array(10_000).fill(1))).toBe(false)
  expect(fits?.([1])).toBe(true)
})

it('keeps its own copy of the schema', () => {
  const given = { type: 'object', required: ['a'], properties: { a: { type: 'number' } } }
  const fits = plainCheckOf(given)
  given.required.push('b')
  given.properties.a.type = 'string'
  expect(fits?.({ a: 1 })).toBe(true)
  expect(fits?.({ a: 'x' })).toBe(false)
})

it('takes no member from a prototype, and no value that is not JSON', () => {
  const fits = plainCheckOf({ type: 'object', required: ['a'], additionalProperties: { type: 'number' } })
  expect(fits?.(Object.create({ a: 1 }))).toBe(false)
  expect(fits?.({ a: Number.NaN })).toBe(false)
  expect(fits?.({ a: undefined })).toBe(false)
  expect(fits?.({ a: 1n })).toBe(false)
  expect(fits?.({ a: () => 1 })).toBe(false)
})
