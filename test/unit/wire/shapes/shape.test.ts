// The language of shapes: what each word admits, and what is said of a value that it does not.
import { describe, expect, it } from 'vitest'
import { createGrammar, type ShapeName } from '../../../../src/wire/shapes/grammar.ts'
import { formatMisfit } from '../../../../src/wire/shapes/misfit.ts'
import {
  anyOf,
  anything,
  array,
  atLeastOneOf,
  boolean,
  drop,
  extend,
  integer,
  integerFrom,
  nullValue,
  number,
  numberBetween,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  string,
  tagged,
  without,
} from '../../../../src/wire/shapes/shape.ts'

/** The sentence about a value that does not fit; nothing for one that does. */
function complaint(shape: Shape, value: unknown, others: Record<string, Shape> = {}): string | undefined {
  const shapes = Object.entries({ ...others, subject: shape }).map(([name, shape]) => [name, () => shape])
  const found = createGrammar(Object.fromEntries(shapes)).misfit('subject' as ShapeName, value)
  return found && formatMisfit(found)
}

describe('simple shapes', () => {
  it.each<[string, Shape, unknown[], unknown[]]>([
    ['string', string, ['', 'a'], [1, null, [], {}, undefined]],
    ['boolean', boolean, [true, false], [0, 'true', null]],
    ['null', nullValue, [null], [undefined, 0, '']],
    ['number', number, [0, -0, 1.5, -1e308], ['1', Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    ['integer', integer, [0, -0, -7, 2 ** 53, 1e300], [0.5, Number.NaN, Number.POSITIVE_INFINITY, '1', 1n]],
    ['numberBetween', numberBetween(0, 1), [0, 0.5, 1], [-0.1, 1.1, Number.NaN]],
    ['integerFrom', integerFrom(0), [0, 9], [-1, 0.5]],
    ['oneOf', oneOf('a', 'b'), ['a', 'b'], ['c', '', 1, null]],
    ['anything', anything, [null, 0, '', [], {}, false], [undefined]],
    ['array', array(string), [[], ['a']], [{}, 'a', { length: 0 }, ['a', 1]]],
    ['array with a limit', array(string, 2), [['a', 'b']], [['a', 'b', 'c']]],
    ['record', record(boolean), [{}, { a: true }], [[], null, { a: 1 }]],
    [
      'object',
      object({ a: string, b: optional(integer) }),
      [{ a: '' }, { a: '', b: 1, c: [] }],
      [{}, { a: '', b: '' }],
    ],
  ])('%s', (_name, shape, fitting, others) => {
    for (const value of fitting) expect(complaint(shape, value), JSON.stringify(value)).toBeUndefined()
    for (const value of others) expect(complaint(shape, value), String(value)).toBeDefined()
  })
})

describe('what is said of a misfit', () => {
  it.each<[string, Shape, unknown]>([
    ['expected string, got number', string, 5],
    ['expected string, got null', string, null],
    ['expected object, got array', object({}), []],
    ['expected integer, got a number that is not whole', integer, 0.5],
    ['expected integer of at least 0, got a number out of range', integerFrom(0), -1],
    ['expected number from 0 to 1, got a number out of range', numberBetween(0, 1), 2],
    ['expected number, got a number out of range', number, Number.NaN],
    ['expected "user" or "assistant", got another string', oneOf('user', 'assistant'), 'root'],
    ['expected array of at most 1 items, got more', array(string, 1), ['a', 'b']],
    ['name: expected string, got nothing', object({ name: string }), {}],
    ['expected string or integer, got boolean', anyOf(string, integer), true],
    ['expected string, got a bigint, which JSON does not have', string, 1n],
    [
      'a[1].b: expected boolean, got string',
      object({ a: array(object({ b: boolean })) }),
      { a: [{ b: true }, { b: 'no' }] },
    ],
    ['["x-y"].z: expected string, got object', record(record(string)), { 'x-y': { z: {} } }],
  ])('%s', (sentence, shape, value) => {
    expect(complaint(shape, value)).toBe(sentence)
  })

  it('never repeats the value', () => {
    const secret = 'hunter2'
    const shape = object({ a: integer, b: oneOf('x'), c: tagged('type', { x: object({}) }) })
    for (const value of [{ a: secret }, { a: 1, b: secret }, { a: 1, b: 'x', c: { type: secret } }]) {
      expect(complaint(shape, value)).not.toContain(secret)
    }
  })

  it('cuts and quotes a name that the sender chose', () => {
    const sentence = complaint(record(string), { [`\n${'k'.repeat(1_000_000)}`]: 1 }) ?? ''
    expect(sentence.length).toBeLessThan(150)
    expect(sentence).toMatch(/^\["\\nkkk/)
  })
})

describe('unions', () => {
  const arms = {
    Text: object({ type: oneOf('text'), text: string }),
    Image: object({ type: oneOf('image'), data: string }),
  }

  it('go by the tag', () => {
    const shape = tagged('type', { text: 'Text', image: 'Image' })
    expect(complaint(shape, { type: 'text', text: '' }, arms)).toBeUndefined()
    expect(complaint(shape, { type: 'image', text: '' }, arms)).toBe('data: expected string, got nothing')
    expect(complaint(shape, { type: 'video' }, arms)).toBe('type: expected "text" or "image", got another string')
    expect(complaint(shape, {}, arms)).toBe('type: expected "text" or "image", got nothing')
    expect(complaint(shape, { type: 'constructor' }, arms)).toBe('type: expected "text" or "image", got another string')
    expect(complaint(shape, { type: ['text'] }, arms)).toBe('type: expected "text" or "image", got array')
  })

  it('take the arm meant for values without a tag', () => {
    const shape = tagged('type', { text: object({ text: string }), image: 'Image' }, 'text')
    expect(complaint(shape, { text: '' }, arms)).toBeUndefined()
    expect(complaint(shape, { data: '' }, arms)).toBe('text: expected string, got nothing')
  })

  it('without a tag go by the JSON type first', () => {
    const shape = anyOf('Text', array('Text'))
    expect(complaint(shape, { type: 'text', text: '' }, arms)).toBeUndefined()
    expect(complaint(shape, [{ type: 'text', text: '' }], arms)).toBeUndefined()
    expect(complaint(shape, [{ type: 'text' }], arms)).toBe('[0].text: expected string, got nothing')
    expect(complaint(shape, 'text', arms)).toBe('expected Text or array, got string')
  })

  it('without a tag quote the arm that came furthest, or else the whole', () => {
    const shapes = { A: object({ a: object({ b: string }) }), C: object({ c: string }), D: object({ d: string }) }
    const shape = anyOf('A', 'C', 'D')
    expect(complaint(shape, { a: { b: 1 } }, shapes)).toBe('a.b: expected string, got number')
    expect(complaint(shape, {}, shapes)).toBe('expected A or C or D, got object')
    expect(complaint(shape, { d: '' }, shapes)).toBeUndefined()
  })

  it('may ask for one of several members', () => {
    const shape = atLeastOneOf(object({ a: optional(string), b: optional(string) }), 'a', 'b')
    expect(complaint(shape, { b: '' })).toBeUndefined()
    expect(complaint(shape, { a: undefined })).toBe('expected an object with a or b, got neither')
  })
})

describe('own members only', () => {
  it('does not count what is inherited', () => {
    const shape = object({ name: string, toString: optional(string) })
    expect(complaint(shape, Object.create({ name: 'inherited' }))).toBe('name: expected string, got nothing')
    expect(complaint(shape, { name: 'own' })).toBeUndefined()
    expect(complaint(tagged('type', { a: object({}) }), Object.create({ type: 'a' }))).toBeDefined()
  })

  it('F059 takes __proto__ and constructor as data', () => {
    const value = JSON.parse('{"__proto__":{"name":"x"},"constructor":{"prototype":1}}')
    expect(complaint(object({ name: string }), value)).toBe('name: expected string, got nothing')
    expect(complaint(record(object({})), value)).toBeUndefined()
    expect(complaint(record(string), value)).toBe('__proto__: expected string, got object')
  })

  it('takes a member that is undefined as absent, as JSON does', () => {
    expect(complaint(object({ a: optional(string) }), { a: undefined })).toBeUndefined()
    expect(complaint(object({ a: string }), { a: undefined })).toBe('a: expected string, got nothing')
  })
})

describe('deriving', () => {
  const base = object({ a: string, b: optional(string) })

  it('adds and replaces members', () => {
    const wider = extend(base, { a: optional(string) }, { c: integer })
    expect(complaint(wider, { c: 1 })).toBeUndefined()
    expect(complaint(base, { c: 1 })).toBeDefined()
  })

  it('takes members away', () => {
    expect(complaint(without(base, 'a'), {})).toBeUndefined()
    expect(drop({ x: 1, y: 2 }, 'x')).toEqual({ y: 2 })
  })

  it('complains of a name that the table does not have', () => {
    expect(() => complaint('Nobody', {})).toThrow(RangeError)
    expect(() => complaint('toString', {})).toThrow(RangeError)
  })
})
