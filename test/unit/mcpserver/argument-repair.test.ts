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
