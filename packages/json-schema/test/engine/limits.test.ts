import { describe, expect, it } from 'vitest'
import { cpuMilliseconds } from '../../../../test/support/cpu-time.ts'
import { compileJsonSchema } from '../../src/compile.ts'
import { LimitError, SchemaError } from '../../src/engine/errors.ts'
import type { JSONSchemaObject } from '../../src/engine/json-schema.ts'

// Four times the budget of a validation, with what the garbage collector does meanwhile.
const BLOCKED_MS = 1_000

function nest(depth: number, wrap: (inner: unknown) => JSONSchemaObject): unknown {
  let schema: unknown = {}
  for (let level = 0; level < depth; level++) schema = wrap(schema)
  return schema
}

function nestedArray(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth))
}

describe('F191 recursion', () => {
  it.each<[string, JSONSchemaObject]>([
    ['a $ref to itself', { $ref: '#' }],
    [
      'two that refer to each other',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ],
    ['a loop off to the side', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/b' } } }],
  ])('F191 %s is rejected', (_, schema) => {
    expect(() => compileJsonSchema(schema)).toThrow(SchemaError)
    expect(() => compileJsonSchema(schema)).toThrow('leads back to itself')
  })

  it.each<[string, JSONSchemaObject]>([
    ['through allOf', { allOf: [{ $ref: '#' }] }],
    ['through anyOf', { anyOf: [{ $ref: '#' }, true] }],
    ['through if', { if: { $ref: '#' } }],
    ['through not', { not: { $ref: '#' } }],
    ['through $dynamicRef', { $dynamicAnchor: 'a', $dynamicRef: '#a' }],
    ['in both branches', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }],
  ])('F191 a loop %s ends in a limit', (_, schema) => {
    const { check, validate } = compileJsonSchema(schema)
    expect(() => check(1)).toThrow(LimitError)
    expect(() => validate(1)).toThrow(LimitError)
  })

  it('F191 recursion over the value is fine', () => {
    const tree = { properties: { children: { items: { $ref: '#' } } }, additionalProperties: false }
    const { check } = compileJsonSchema(tree)
    expect(check({ children: [{ children: [{}] }, {}] })).toBe(true)
    expect(check({ children: [{ children: [{ child: [] }] }] })).toBe(false)
  })

  it('F191 mutual recursion ends', () => {
    const { check } = compileJsonSchema({
      $ref: '#/$defs/even',
      $defs: {
        even: { anyOf: [{ type: 'null' }, { properties: { next: { $ref: '#/$defs/odd' } }, required: ['next'] }] },
        odd: { properties: { next: { $ref: '#/$defs/even' } }, required: ['next'], type: 'object' },
      },
    })
    expect(check({ next: { next: null } })).toBe(true)
    expect(check({ next: null })).toBe(false)
  })

  it('a value nested too deep is a limit, not a stack overflow', () => {
    const { check } = compileJsonSchema({ items: { $ref: '#' } })
    expect(check(nestedArray(100))).toBe(true)
    expect(() => check(nestedArray(5_000))).toThrow(LimitError)
    expect(() => compileJsonSchema({ uniqueItems: true }).check([nestedArray(5_000), 1])).toThrow(LimitError)
    expect(() => compileJsonSchema({ enum: [{}] }).check(nestedArray(5_000))).toThrow(LimitError)
    expect(compileJsonSchema({ const: [[]] }).check(nestedArray(5_000))).toBe(false)
  })
})

describe('F193 schemas that are too large', () => {
  it('F193 10,000 subschemas', () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, {}]))
    expect(() => compileJsonSchema({ properties })).toThrow(
      expect.objectContaining({ limit: 'subschemas', max: 2_000 }),
    )
    expect(compileJsonSchema({ properties }, { limits: { maxSubschemas: 20_000 } }).check({})).toBe(true)
  })

  it('F193 allOf a thousand levels deep', () => {
    const schema = nest(1_000, (inner) => ({ allOf: [inner] }))
    expect(() => compileJsonSchema(schema)).toThrow(expect.objectContaining({ limit: 'schema depth', max: 32 }))
    expect(compileJsonSchema(nest(32, (inner) => ({ allOf: [inner] }))).check(1)).toBe(true)
    expect(() => compileJsonSchema(nest(33, (inner) => ({ allOf: [inner] })))).toThrow(LimitError)
  })

  it('counts levels of schemas, so 32 nested objects are fine', () => {
    const schema = nest(32, (inner) => ({ type: 'object', properties: { child: inner } }))
    expect(compileJsonSchema(schema).check({ child: { child: {} } })).toBe(true)
  })

  it('F193 an enum of 100,000 values', () => {
    const schema = { enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) }
    expect(() => compileJsonSchema(schema)).toThrow(expect.objectContaining({ limit: 'schema bytes' }))
    const { check } = compileJsonSchema(schema, { limits: { maxSchemaBytes: 8 << 20 } })
    expect([check('value 99999'), check('value x')]).toEqual([true, false])
  })

  it('F193 a schema object that contains itself', () => {
    const schema: JSONSchemaObject = {}
    schema['not'] = schema
    expect(() => compileJsonSchema(schema)).toThrow(LimitError)
  })

  it('F193 a schema that shares objects to grow without bound', () => {
    const schema = nest(31, (inner) => ({ allOf: [inner, inner] }))
    expect(cpuMilliseconds(() => expect(() => compileJsonSchema(schema)).toThrow(LimitError))).toBeLessThan(BLOCKED_MS)
  })

  it('F193 references cannot multiply the work of reading a schema', () => {
    const strange = nest(30, (inner) => ({ not: inner, allOf: [inner] }))
    const references = Array.from({ length: 500 }, () => ({ $ref: '#/strange' }))
    expect(() => compileJsonSchema({ strange, allOf: references })).toThrow(LimitError)
  })
})

describe('F193 validations that take too long', () => {
  it('F193 uniqueItems on 100,000 numbers is quick, and on objects bounded', () => {
    const { check } = compileJsonSchema({ uniqueItems: true }, { limits: { maxValidationSteps: 100_000_000 } })
    const numbers = Array.from({ length: 100_000 }, (_, index) => index)
    expect(cpuMilliseconds(() => expect(check(numbers)).toBe(true))).toBeLessThan(BLOCKED_MS)
    expect(check([...numbers, 5])).toBe(false)
    const objects = numbers.map((index) => ({ id: index, name: `n${index}` }))
    expect(check(objects)).toBe(true)
    expect(check([...objects, { name: 'n7', id: 7 }])).toBe(false)
    const impatient = compileJsonSchema({ uniqueItems: true }, { limits: { maxValidationSteps: 100_000 } })
    expect(() => impatient.check(objects)).toThrow(
      expect.objectContaining({ limit: 'schema validation steps', max: 100_000 }),
    )
  })

  it('F193 a recursive anyOf that would take forever', () => {
    const node = { anyOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' } }], not: { type: 'null' } }
    let value: unknown = [null]
    for (let level = 0; level < 60; level++) value = [value]
    const { check, validate } = compileJsonSchema(node)
    const blocked = cpuMilliseconds(() => {
      expect(() => check(value)).toThrow(LimitError)
      expect(() => validate(value)).toThrow(LimitError)
    })
    expect(blocked).toBeLessThan(BLOCKED_MS)
  })

  it.each<[string, JSONSchemaObject, () => unknown]>([
    [
      'many properties on many items',
      { items: { properties: Object.fromEntries(Array.from({ length: 1_900 }, (_, i) => [`p${i}`, {}])) } },
      () => Array.from({ length: 300_000 }, () => ({})),
    ],
    [
      'many schemas on many members',
      { allOf: Array.from({ length: 900 }, () => ({ additionalProperties: { type: 'number' } })) },
      () => Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`p${i}`, i])),
    ],
    [
      'many lengths of a long text',
      { allOf: Array.from({ length: 1_900 }, () => ({ maxLength: 3_000_000 })) },
      () => '😀'.repeat(2_000_000),
    ],
    [
      'many patterns on a long text',
      { allOf: Array.from({ length: 900 }, (_, i) => ({ pattern: `^[^${String.fromCharCode(0x4e00 + i)}]*$` })) },
      () => 'x'.repeat(4_000_000),
    ],
    [
      'many members seen and merged',
      { allOf: Array.from({ length: 900 }, () => ({ patternProperties: { '^p': {} } })), unevaluatedProperties: false },
      () => Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, i])),
    ],
  ])('F193 %s', (_, schema, createValue) => {
    const { check } = compileJsonSchema(schema)
    const value = createValue()
    expect(cpuMilliseconds(() => expect(() => check(value)).toThrow(LimitError))).toBeLessThan(BLOCKED_MS)
  })
})

describe('objects of very many unknown members', () => {
  it.each<[string, JSONSchemaObject]>([
    ['additionalProperties: false', { additionalProperties: false }],
    ['additionalProperties that reject each', { additionalProperties: { type: 'string' } }],
    ['two keywords that look at all', { additionalProperties: false, maxProperties: 3 }],
    ['unevaluatedProperties: false', { unevaluatedProperties: false }],
    ['propertyNames', { propertyNames: { maxLength: 1 } }],
    ['patternProperties', { patternProperties: { '^k': { type: 'string' } } }],
  ])('are listed twice at most, and explained 20 times at most: %s', (_, schema) => {
    let lists = 0
    const members = Object.fromEntries(Array.from({ length: 5_000 }, (_value, index) => [`k${index}`, 1]))
    const value = new Proxy(members, {
      ownKeys(target) {
        lists += 1
        return Reflect.ownKeys(target)
      },
    })
    expect(compileJsonSchema(schema).validate(value).length).toBeLessThanOrEqual(20)
    expect(lists).toBeLessThanOrEqual(2)
  })
})
