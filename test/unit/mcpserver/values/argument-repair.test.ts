import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRepair } from '../../../../src/mcpserver/values/argument-repair.ts'

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

it('parses objects and lists in strings where the schema expects them', () => {
  const args = { filter: '{"a":1}', tags: ' ["x"] ', behind: '[1]', optional: '{}', other: '{"b":2}' }
  expect(repair(args)).toEqual({
    value: { filter: { a: 1 }, tags: ['x'], behind: [1], optional: {}, other: '{"b":2}' },
    names: ['filter', 'tags', 'behind', 'optional'],
  })
  expect(args.filter).toBe('{"a":1}')
})

it('repairs inside objects and lists as far as the schema is clear', () => {
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

it('searches a limited number of places', () => {
  const strings = createRepair({ properties: { list: { items: { type: 'object' } } } }, ['object'])
  expect(strings({ list: Array.from({ length: 20_000 }, () => '{}') })?.names.length).toBeLessThan(10_001)
})

it('leaves values that may be strings, are of another type, or are not JSON', () => {
  expect(repair({ either: '{"a":1}' })).toBeUndefined()
  expect(repair({ filter: '[1]', tags: '{}', behind: 'null', count: '3', around: '{}' })).toBeUndefined()
  expect(repair({ filter: '{"a":' })).toBeUndefined()
  expect(repair({ filter: { a: 1 } })).toBeUndefined()
  expect(repair('{"filter":{}}')).toBeUndefined()
})

it('parses numbers and booleans only if these types are given', () => {
  const strings = createRepair(schema, ['number', 'boolean'])
  expect(strings({ count: '3', filter: '{}' })).toEqual({ value: { count: 3, filter: '{}' }, names: ['count'] })
})

it('limits the size and depth of what a string contains', () => {
  expect(repair({ behind: '['.repeat(65) + ']'.repeat(65) })).toBeUndefined()
  expect(repair({ behind: `[${'1,'.repeat(10_001)}1]` })).toBeUndefined()
})

it('F197 treats __proto__ as any other name', () => {
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

it('leaves members that a patternProperties schema may describe', () => {
  const patterned = createRepair(
    { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: { type: 'object' } },
    ['object'],
  )
  expect(patterned({ x1: '{"a":1}', y: '{"b":2}' })).toBeUndefined()
})

/** Tells how often the names of an object are listed, and how often one of its members is looked at. */
function watched(object: object) {
  const looks = { lists: 0, members: 0 }
  const value = new Proxy(object, {
    ownKeys(target) {
      looks.lists += 1
      return Reflect.ownKeys(target)
    },
    getOwnPropertyDescriptor(target, name) {
      looks.members += 1
      return Reflect.getOwnPropertyDescriptor(target, name)
    },
  })
  return { value, looks }
}

const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))

it('does not visit unknown arguments, however many there are', () => {
  const closed = watched(unknown(50_000))
  expect(repair(closed.value)).toBeUndefined()
  expect(closed.looks).toEqual({ lists: 0, members: 7 })

  const empty = watched(unknown(50_000))
  expect(createRepair({ type: 'object', additionalProperties: false }, ['object'])(empty.value)).toBeUndefined()
  expect(empty.looks).toEqual({ lists: 0, members: 0 })
})

it('neither visits nor copies an object of more than 10,000 members', () => {
  const map = createRepair({ properties: { x: { type: 'array' } }, additionalProperties: { type: 'array' } }, ['array'])
  expect(map({ ...unknown(9_999), x: '[1]' })?.names).toEqual(['x'])
  expect(map({ ...unknown(10_000), x: '[1]' })).toBeUndefined()
  expect(repair({ ...unknown(9_999), filter: '{}' })?.names).toEqual(['filter'])
  expect(repair({ ...unknown(10_000), filter: '{}' })).toBeUndefined()
})

it('visits at most 10,000 places, including those without a schema', () => {
  const list = createRepair({ properties: { list: { prefixItems: [{ type: 'object' }] }, o: { type: 'object' } } }, [
    'object',
  ])
  expect(list({ list: ['{}', ...Array.from({ length: 9_000 }, () => 1)], o: '{}' })?.names).toEqual(['list[0]', 'o'])
  expect(list({ list: ['{}', ...Array.from({ length: 20_000 }, () => 1)], o: '{}' })?.names).toEqual(['list[0]'])
})

it('repairs an argument that follows a large list without an items schema', () => {
  const args = { tags: Array.from({ length: 20_000 }, () => 1), count: 1, filter: '{}' }
  expect(repair(args)?.names).toEqual(['filter'])
})

it('visits the names of the schema or of the object, whichever are fewer', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `n${index}`)
  const wide = createRepair({ properties: Object.fromEntries(names.map((name) => [name, { type: 'array' }])) }, [
    'array',
  ])
  const small = watched({ n1: '[1]' })
  expect(wide(small.value)?.names).toEqual(['n1'])
  expect(small.looks.members).toBeLessThan(10)
})
