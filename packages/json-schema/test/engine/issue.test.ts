import { describe, expect, it } from 'vitest'
import { compileJsonSchema } from '../../src/compile.ts'

function messages(schema: unknown, value: unknown): string[] {
  return compileJsonSchema(schema)
    .validate(value)
    .map((issue) => issue.message)
}

describe('what an issue says', () => {
  it.each<[unknown, unknown, string]>([
    [{ type: 'string' }, 1, 'expected string, got number'],
    [{ type: ['string', 'null'] }, [], 'expected string or null, got array'],
    [{ enum: ['a', 'b'] }, 'c', 'expected one of "a", "b", got string'],
    [{ const: 'circle' }, null, 'expected "circle", got null'],
    [{ minimum: 1 }, 0, 'expected a number >= 1'],
    [{ exclusiveMaximum: 1 }, 1, 'expected a number < 1'],
    [{ multipleOf: 0.1 }, 0.15, 'expected a multiple of 0.1'],
    [{ minLength: 3 }, 'ab', 'expected at least 3 characters, got 2'],
    [{ maxLength: 1 }, 'ab', 'expected at most 1 character, got 2'],
    [{ pattern: '^a' }, 'b', 'expected text that matches the pattern "^a"'],
    [{ minItems: 2 }, [1], 'expected at least 2 items, got 1'],
    [{ maxItems: 1 }, [1, 2], 'expected at most 1 item, got 2'],
    [{ prefixItems: [{}], items: false }, [1, 2], 'expected at most 1 item, got 2'],
    [{ uniqueItems: true }, [1, 1], 'expected items that are all different, got the same one twice'],
    [{ contains: { type: 'null' } }, [1], 'expected at least 1 item of a certain kind, got 0'],
    [{ contains: {}, maxContains: 1 }, [1, 2], 'expected exactly 1 item of a certain kind, got 2'],
    [{ required: ['x'] }, {}, 'missing required property "x"'],
    [{ minProperties: 1 }, {}, 'expected at least 1 property, got 0'],
    [{ maxProperties: 0 }, { a: 1 }, 'expected at most 0 properties, got 1'],
    [{ properties: { a: {} }, additionalProperties: false }, { y: 1 }, 'unknown property "y"; known are "a"'],
    [{ additionalProperties: false }, { y: 1 }, 'unknown property "y"; none is allowed'],
    [{ unevaluatedProperties: false }, { y: 1 }, 'unknown property "y"'],
    [{ propertyNames: { maxLength: 1 } }, { long: 1 }, 'property name "long" is not allowed'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'missing property "b", which "a" requires'],
    [{ not: {} }, 1, 'expected a value that does not fit the schema under "not"'],
    [{ oneOf: [{}, true] }, 1, 'expected exactly one of the alternatives to fit, but more than one does'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'expected string or null, got number'],
    [{ unevaluatedItems: false }, [1], 'item 0 is not allowed'],
  ])('%j and %j', (schema, value, message) => {
    expect(messages(schema, value)).toEqual([message])
  })

  it('begins with the place', () => {
    const schema = { properties: { filters: { items: { properties: { 'a b': { type: 'string' } } } } } }
    const [issue] = compileJsonSchema(schema).validate({ filters: [{}, { 'a b': 1 }] })
    expect(issue).toEqual({
      message: 'filters[1]["a b"]: expected string, got number',
      path: ['filters', 1, 'a b'],
      instancePath: '/filters/1/a b',
      keyword: 'type',
      schemaPath: '#/properties/filters/items/properties/a b/type',
    })
  })

  it('escapes pointers and names the place of a referenced keyword', () => {
    const schema = { properties: { 'a/b~c': { $ref: '#/$defs/x' } }, $defs: { x: { type: 'null' } } }
    expect(compileJsonSchema(schema).validate({ 'a/b~c': 1 })).toMatchObject([
      { instancePath: '/a~1b~0c', path: ['a/b~c'], schemaPath: '#/$defs/x/type' },
    ])
  })

  it('lists every misfit, not only the first', () => {
    const schema = { required: ['a', 'b'], properties: { c: { type: 'string' }, d: { minimum: 1, multipleOf: 2 } } }
    expect(messages(schema, { c: 1, d: -1 })).toEqual([
      'missing required property "a"',
      'missing required property "b"',
      'c: expected string, got number',
      'd: expected a number >= 1',
      'd: expected a multiple of 2',
    ])
  })

  it('stops at the number of issues that is wanted, with their places intact', () => {
    const values = { list: Array.from({ length: 100 }, () => 'x') }
    const schema = { properties: { list: { items: { type: 'number' } } } }
    const issues = compileJsonSchema(schema).validate(values)
    expect(issues).toHaveLength(20)
    expect(issues.map((issue) => issue.instancePath)).toEqual(issues.map((_, index) => `/list/${index}`))
    expect(compileJsonSchema(schema, { limits: { maxIssues: 3 } }).validate(values)).toHaveLength(3)
  })
})

it('shows no character that cannot be seen', () => {
  const schema = { additionalProperties: false }
  expect(messages(schema, { 'a\n\u009b\u202eb\u200b': 1 })).toEqual([
    String.raw`unknown property "a\n\u009b\u202eb\u200b"; none is allowed`,
  ])
})

describe('alternatives', () => {
  const shapes = {
    oneOf: [
      { properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['kind', 'radius'] },
      { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] },
    ],
  }

  it('explains the one that was meant', () => {
    expect(messages(shapes, { kind: 'square', side: 'x' })).toEqual([
      'expected one of 2 alternatives, and none fits',
      'side: expected number, got string',
    ])
  })

  it('names what tells them apart where that is wrong', () => {
    expect(messages(shapes, { kind: 'triangle' })).toEqual([
      'expected one of 2 alternatives, and none fits',
      'kind: expected one of "circle", "square", got string',
    ])
  })

  it('says a little of each where it is not clear which was meant', () => {
    const unclear = { anyOf: [{ required: ['a', 'b', 'c'] }, { properties: { d: { type: 'null' } } }] }
    expect(messages(unclear, { d: 1 })).toEqual([
      'expected one of 2 alternatives, and none fits: missing required property "a", missing required property "b"; ' +
        'or d: expected null, got number',
    ])
  })

  it('says no more of them, however many there are in each other', () => {
    const nest = (depth: number): object =>
      depth === 0 ? { required: ['x'.repeat(60)] } : { anyOf: Array.from({ length: 6 }, () => nest(depth - 1)) }
    const [message = ''] = messages(nest(4), {})
    expect(message.length).toBeLessThan(400)
  })

  it('says nothing of branches that failed on the way to one that fits', () => {
    const schema = { anyOf: [{ type: 'string' }, { required: ['a'] }], required: ['b'] }
    expect(messages(schema, { a: 1 })).toEqual(['missing required property "b"'])
  })

  it('leave room for what else is wrong, however much is wrong in them', () => {
    const schema = { anyOf: [{ required: ['a', 'b', 'c', 'd'] }, { type: 'string' }], minProperties: 1 }
    const issues = compileJsonSchema(schema, { limits: { maxIssues: 3 } }).validate({})
    expect(issues.map((issue) => issue.keyword)).toEqual(['anyOf', 'required', 'required'])
    const roomy = compileJsonSchema({ ...schema, anyOf: [...schema.anyOf, {}] }, { limits: { maxIssues: 3 } }).validate(
      {},
    )
    expect(roomy.map((issue) => issue.keyword)).toEqual(['minProperties'])
  })

  it('does not call members unknown that a failed keyword had no chance to look at', () => {
    const schema = { allOf: [{ properties: { a: { type: 'string' } } }], unevaluatedProperties: false }
    expect(messages(schema, { a: 1 })).toEqual(['a: expected string, got number'])
  })
})

describe('what an issue keeps to itself', () => {
  it('values never show, and long names are cut', () => {
    const secret = 'canary-7f3a'
    const schema = {
      properties: {
        a: { enum: ['x'] },
        b: { const: 'y' },
        c: { pattern: '^z$' },
        d: { type: 'number' },
        e: { maxLength: 2, format: 'uuid' },
        f: { items: { const: 1 }, uniqueItems: true, maxItems: 1 },
        g: { anyOf: [{ const: 1 }, { const: 2 }] },
        h: { not: { type: 'string' } },
      },
      additionalProperties: false,
    }
    const value = Object.fromEntries([...'abcdegh'].map((key) => [key, secret]))
    const issues = compileJsonSchema(schema, { formats: 'assert' }).validate({
      ...value,
      f: [secret, secret],
      ['n'.repeat(10_000)]: 1,
    })
    expect(issues.length).toBeGreaterThan(8)
    expect(JSON.stringify(issues)).not.toContain(secret)
    for (const { message } of issues) expect(message.length).toBeLessThan(400)
  })

  it('control characters of names do not reach a terminal', () => {
    const [issue] = compileJsonSchema({ additionalProperties: { type: 'null' } }).validate({ '\u001b[31m\n': 1 })
    expect(issue?.message).toBe('["\\u001b[31m\\n"]: expected null, got number')
  })
})
