import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRepair } from '../../../src/mcpserver/argument-repair.ts'

const schema = {
  type: 'object',
  properties: {
    filter: { type: 'object' },
    tags: { type: ['array', 'null'] },
    either: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    behind: { $ref: '#/$defs/list' },
    optional: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    count: { type: 'integer' },
    around: { $ref: '#/$defs/around' },
  },
  $defs: { list: { type: 'array' }, around: { anyOf: [{ $ref: '#/$defs/around' }] } },
}
const repair = createRepair(schema, ['object', 'array'])

it('takes objects and lists out of strings where the schema wants them', () => {
  const args = { filter: '{"a":1}', tags: ' ["x"] ', behind: '[1]', optional: '{}', other: '{"b":2}' }
  expect(repair(args)).toEqual({
    value: { filter: { a: 1 }, tags: ['x'], behind: [1], optional: {}, other: '{"b":2}' },
    names: ['filter', 'tags', 'behind', 'optional'],
  })
  expect(args.filter).toBe('{"a":1}')
})

it('goes into objects and lists as far as the schema is plain', () => {
  const deep = createRepair(
    {
      properties: {
        o: { $ref: '#/$defs/o' },
        list: { type: 'array', items: { type: 'object', properties: { x: { type: 'array' } } } },
        pair: { prefixItems: [{ type: 'string' }, { type: 'object' }] },
        map: { additionalProperties: { type: 'array' } },
        maybe: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/o' }] },
        unclear: { anyOf: [{ properties: { a: { type: 'array' } } }, { properties: { a: { type: 'object' } } }] },
      },
      $defs: { o: { type: 'object', properties: { a: { type: 'array' }, o: { $ref: '#/$defs/o' } } } },
    },
    ['object', 'array'],
  )
  expect(
    deep({
      o: { a: '[1]', other: '[2]' },
      list: ['{"x":"[1]"}', { x: '[]' }],
      pair: ['{}', '{}'],
      map: { 'a b': '[1]' },
      maybe: { a: '[1]' },
      unclear: { a: '[1]' },
    }),
  ).toEqual({
    value: {
      o: { a: [1], other: '[2]' },
      list: [{ x: [1] }, { x: [] }],
      pair: ['{}', {}],
      map: { 'a b': [1] },
      maybe: { a: [1] },
      unclear: { a: '[1]' },
    },
    names: ['o.a', 'list[0]', 'list[0].x', 'list[1].x', 'pair[1]', 'map["a b"]', 'maybe.a'],
  })
  const nested = (depth: number): object => (depth === 0 ? { a: '[1]' } : { o: nested(depth - 1) })
  expect(deep(nested(6))?.names).toHaveLength(1)
  expect(deep(nested(9))).toBeUndefined()
})

it('looks at no more places than it can afford', () => {
  const strings = createRepair({ properties: { list: { items: { type: 'object' } } } }, ['object'])
  expect(strings({ list: Array.from({ length: 20_000 }, () => '{}') })?.names.length).toBeLessThan(10_001)
})

it('leaves alone what may be a string, is of another type, or is no JSON', () => {
  expect(repair({ either: '{"a":1}' })).toBeUndefined()
  expect(repair({ filter: '[1]', tags: '{}', behind: 'null', count: '3', around: '{}' })).toBeUndefined()
  expect(repair({ filter: '{"a":' })).toBeUndefined()
  expect(repair({ filter: { a: 1 } })).toBeUndefined()
  expect(repair('{"filter":{}}')).toBeUndefined()
})

it('parses numbers and booleans only where it is told to', () => {
  const strings = createRepair(schema, ['number', 'boolean'])
  expect(strings({ count: '3', filter: '{}' })).toEqual({ value: { count: 3, filter: '{}' }, names: ['count'] })
})

it('bounds what a string may hold', () => {
  expect(repair({ behind: '['.repeat(65) + ']'.repeat(65) })).toBeUndefined()
  expect(repair({ behind: `[${'1,'.repeat(10_001)}1]` })).toBeUndefined()
})

it('F197 takes __proto__ for a name like any other', () => {
  const named = createRepair(JSON.parse('{"properties":{"__proto__":{"type":"object"}}}'), ['object'])
  const repaired = named(JSON.parse('{"__proto__":"{\\"__proto__\\":{\\"polluted\\":true}}"}'))
  expect(Object.keys(repaired?.value ?? {})).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(repaired?.value)).toBe(Object.prototype)
})

it('never throws and never changes what it was given', () => {
  const anyArguments = fc.dictionary(
    fc.constantFrom(...Object.keys(schema.properties)),
    fc.oneof(fc.json(), fc.string()),
  )
  fc.assert(
    fc.property(anyArguments, (args) => {
      const before = JSON.stringify(args)
      repair(args)
      expect(JSON.stringify(args)).toBe(before)
    }),
    { seed: 7, numRuns: 300 },
  )
})

it('leaves alone what a pattern may be for', () => {
  const patterned = createRepair(
    { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: { type: 'object' } },
    ['object'],
  )
  expect(patterned({ x1: '{"a":1}', y: '{"b":2}' })).toBeUndefined()
})
