import { describe, expect, it } from 'vitest'
import { compileJsonSchema } from '../src/compile.ts'
import { LimitError, SchemaError } from '../src/engine/errors.ts'

function errorOf(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

describe('dialects', () => {
  const tuple = { items: [{ type: 'string' }, { type: 'number' }], additionalItems: false }

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft-07/schema',
  ])('knows draft-07 as %s', ($schema) => {
    const { check } = compileJsonSchema({ $schema, ...tuple })
    expect(check(['a', 1])).toBe(true)
    expect(check(['a', 1, 2])).toBe(false)
  })

  it.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft/2020-12/schema#', undefined])(
    'takes %s as 2020-12',
    ($schema) => {
      const { check } = compileJsonSchema({ $schema, prefixItems: tuple.items, items: false })
      expect(check(['a', 1])).toBe(true)
      expect(check(['a', 1, 2])).toBe(false)
    },
  )

  it('reads schemas that do not say in the dialect that the caller names', () => {
    expect(compileJsonSchema(tuple, { dialect: 'draft-07' }).check([1])).toBe(false)
    expect(() => compileJsonSchema(tuple)).toThrow('for tuples use "prefixItems"')
  })

  it('finds $ref targets beside $ref in draft-07', () => {
    const schema = { $ref: '#/definitions/name', definitions: { name: { type: 'string' } }, maxLength: 1 }
    const { check } = compileJsonSchema(schema, { dialect: 'draft-07' })
    expect([check('long'), check(1)]).toEqual([true, false])
  })

  it('rejects a vocabulary that is required and unknown', () => {
    const $schema = 'https://example.com/meta'
    const documents = { [$schema]: { $vocabulary: { 'https://example.com/vocab': true } } }
    expect(() => compileJsonSchema({ $schema }, { documents })).toThrow(SchemaError)
    documents[$schema].$vocabulary['https://example.com/vocab'] = false
    expect(compileJsonSchema({ $schema }, { documents }).check(1)).toBe(true)
  })

  it('ends on meta-schemas that describe each other', () => {
    const documents = { 'x:a': { $schema: 'x:b' }, 'x:b': { $schema: 'x:a' } }
    expect(() => compileJsonSchema({ $schema: 'x:a' }, { documents })).toThrow('is not known')
  })
})

describe('F194 what is no schema', () => {
  it.each<[string, unknown, string]>([
    ['a number', 12, '#'],
    ['null', null, '#'],
    ['an array', [], '#'],
    ['a function inside', { default: () => 1 }, '#'],
    ['a numeric type', { type: 12 }, '#/type'],
    ['an unknown type', { type: 'any' }, '#/type'],
    ['no types', { type: [] }, '#/type'],
    ['required as text', { properties: { a: { required: 'x' } } }, '#/properties/a/required'],
    ['required as boolean', { properties: { a: { required: true } } }, '#/properties/a/required'],
    ['a negative length', { minLength: -1 }, '#/minLength'],
    ['half an item', { items: { maxItems: 0.5 } }, '#/items/maxItems'],
    ['a text as bound', { minimum: '1' }, '#/minimum'],
    ['a multiple of nothing', { multipleOf: 0 }, '#/multipleOf'],
    ['an enum that is no list', { enum: 'a' }, '#/enum'],
    ['an empty allOf', { allOf: [] }, '#/allOf'],
    ['an anyOf that is no list', { anyOf: {} }, '#/anyOf'],
    ['a subschema that is text', { not: 'x' }, '#/not'],
    ['a property that is text', { properties: { 'a/b': 'x' } }, '#/properties/a~1b'],
    ['properties as a list', { properties: [] }, '#/properties'],
    ['patternProperties as a list', { patternProperties: [] }, '#/patternProperties'],
    ['dependentRequired as a list', { dependentRequired: { a: 'b' } }, '#/dependentRequired'],
    ['a broken pattern', { pattern: '(' }, '#/pattern'],
    ['a broken pattern among names', { patternProperties: { '[': {} } }, '#/patternProperties'],
    ['a numeric $ref', { $ref: 1 }, '#/$ref'],
    ['a numeric $id', { $id: 1 }, '#/$id'],
    ['an $id with a fragment', { $id: 'http://x.example/#a' }, '#/$id'],
    ['an $id that is no URI', { $id: 'http://' }, '#/$id'],
    ['an anchor with spaces', { $anchor: 'a b' }, '#/$anchor'],
    ['an anchor given twice', { $defs: { a: { $anchor: 'x', type: 'null' }, b: { $anchor: 'x' } } }, '#/$defs/b'],
    ['an $id given twice', { $defs: { a: { $id: 'x', type: 'null' }, b: { $id: 'x' } } }, '#/$defs/b/$id'],
    ['a numeric $schema', { $schema: 4 }, '#/$schema'],
    ['an unknown dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }, '#/$schema'],
  ])('is rejected: %s', (_, schema, schemaPath) => {
    const error = errorOf(() => compileJsonSchema(schema))
    expect(error).toBeInstanceOf(SchemaError)
    expect(error).toMatchObject({ schemaPath, name: 'SchemaError' })
  })

  it('F194 boolean schemas are schemas', () => {
    expect(compileJsonSchema(true).check({ any: 'thing' })).toBe(true)
    expect(compileJsonSchema(false).check(1)).toBe(false)
    expect(compileJsonSchema(false).validate(1)).toMatchObject([
      { message: 'no value is allowed here', schemaPath: '#' },
    ])
  })

  it('does not mind annotations of the wrong kind', () => {
    expect(compileJsonSchema({ title: 12, description: null, examples: 'x', 'x-mcp-header': {} }).check(1)).toBe(true)
  })

  it('tolerates that the same schema with an $id is inlined twice', () => {
    const user = { $id: 'User', type: 'object' }
    expect(compileJsonSchema({ properties: { from: user, to: user } }).check({ from: {}, to: 1 })).toBe(false)
  })
})

describe('values that are not quite JSON', () => {
  it('takes an undefined member as absent, as JSON text has it', () => {
    const { check } = compileJsonSchema({
      properties: { a: { type: 'string' } },
      required: ['b'],
      additionalProperties: false,
      maxProperties: 1,
    })
    expect(check({ a: undefined, b: 1 })).toBe(false)
    expect(compileJsonSchema({ properties: { a: false }, maxProperties: 0 }).check({ a: undefined })).toBe(true)
    expect(compileJsonSchema({ required: ['a'] }).check({ a: undefined })).toBe(false)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('does not take %s for a number', (value) => {
    expect(compileJsonSchema({ type: 'number' }).check(value)).toBe(false)
    expect(compileJsonSchema({ type: 'integer' }).check(value)).toBe(false)
    expect(compileJsonSchema({ multipleOf: 2 }).check(value)).toBe(false)
  })

  it.each([1n, () => 1, Symbol('x'), undefined])('fits no type: %s', (value) => {
    const type = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
    expect(compileJsonSchema({ type }).check(value)).toBe(false)
  })
})

describe('F197 members that an object also inherits', () => {
  const proto = JSON.parse('{"__proto__": 1}') as unknown

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'F197 %s is required as an own member',
    (name) => {
      const { check } = compileJsonSchema({ required: [name] })
      expect(check({})).toBe(false)
      expect(check(JSON.parse(`{"${name}": 1}`))).toBe(true)
    },
  )

  it('F197 a schema for __proto__ is applied to the own member only', () => {
    const { check } = compileJsonSchema(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'))
    expect(check({})).toBe(true)
    expect(check(proto)).toBe(false)
  })

  it('F197 __proto__ is an unknown property like any other', () => {
    expect(compileJsonSchema({ additionalProperties: false }).check(proto)).toBe(false)
    expect(compileJsonSchema({ unevaluatedProperties: false }).check(proto)).toBe(false)
    expect(compileJsonSchema({ propertyNames: { maxLength: 3 } }).check(proto)).toBe(false)
    expect(compileJsonSchema({ const: JSON.parse('{"__proto__": 1}') }).check(proto)).toBe(true)
    expect(compileJsonSchema({ const: {} }).check(proto)).toBe(false)
  })

  it('F197 inherited members are nobody’s', () => {
    const inheriting: unknown = Object.create({ a: 1 })
    expect(compileJsonSchema({ additionalProperties: false, maxProperties: 0 }).check(inheriting)).toBe(true)
    expect(compileJsonSchema({ required: ['a'] }).check(inheriting)).toBe(false)
  })

  it('F197 defaults are not applied', () => {
    const value = {}
    expect(compileJsonSchema({ properties: { a: { default: 1 } } }).check(value)).toBe(true)
    expect(value).toEqual({})
  })
})

describe('a validator', () => {
  it('is not changed by later changes to the schema', () => {
    const schema = { properties: { a: { type: 'string' } } }
    const { check } = compileJsonSchema(schema)
    schema.properties.a.type = 'number'
    expect(check({ a: 'text' })).toBe(true)
  })

  it('may be used from inside itself', () => {
    const inner: boolean[] = []
    const validator = compileJsonSchema(
      { properties: { a: { pattern: 'x' }, b: { type: 'number' } } },
      {
        regexp: () => ({
          test: () => {
            inner.push(validator.check({ b: 'no number' }))
            return true
          },
        }),
      },
    )
    expect(validator.check({ a: 'text', b: 1 })).toBe(true)
    expect(inner).toEqual([false])
  })

  it('is usable again after it ran into a limit', () => {
    const { check } = compileJsonSchema({ items: { $ref: '#' } }, { limits: { maxEvaluationDepth: 8 } })
    const deep = JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) as unknown
    expect(() => check(deep)).toThrow(LimitError)
    expect(check([[[]]])).toBe(true)
    expect(() => check(deep)).toThrow(LimitError)
  })

  it('counts characters as code points', () => {
    const { check } = compileJsonSchema({ minLength: 2, maxLength: 2 })
    expect([check('😀😀'), check('😀'), check('ab'), check('😀a!')]).toEqual([true, false, true, false])
  })

  it('rejects limits that are no positive numbers', () => {
    expect(() => compileJsonSchema({}, { limits: { maxIssues: 0 } })).toThrow(RangeError)
    expect(() => compileJsonSchema({}, { limits: { maxIssues: Number.NaN } })).toThrow("'maxIssues'")
  })
})
