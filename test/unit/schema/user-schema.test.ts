import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'
import { compileSchema, createSchemaEngine } from '../../../src/schema/engine.ts'
import { SchemaError } from '../../../src/schema/json-schema.ts'
import type { InferInput, InferOutput, StandardSchema } from '../../../src/schema/standard-schema.ts'
import { resolveSchema, type SchemaDirection } from '../../../src/schema/user-schema.ts'
import { cpuMilliseconds } from '../../support/cpu-time.ts'

const engine = createSchemaEngine()

function options(direction: SchemaDirection = 'input') {
  return { direction, engine }
}

const SCHEMAS: [string, object][] = [
  ['zod', z.object({ title: z.string(), tags: z.optional(z.array(z.string())) })],
  ['valibot', toStandardJsonSchema(v.object({ title: v.string(), tags: v.optional(v.array(v.string())) }))],
  ['arktype', type({ title: 'string', 'tags?': 'string[]' })],
  ['typebox', Type.Object({ title: Type.String(), tags: Type.Optional(Type.Array(Type.String())) })],
  [
    'JSON Schema',
    {
      type: 'object',
      properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
      required: ['title'],
    },
  ],
]

describe.each(SCHEMAS)('a schema of %s', (_, schema) => {
  const resolved = resolveSchema(schema, options())

  it('is published as JSON Schema that says the same', () => {
    expect(resolved.jsonSchema).toMatchObject({ type: 'object', required: ['title'] })
    const { check } = compileSchema(resolved.jsonSchema)
    expect([check({ title: 'x', tags: ['y'] }), check({ title: 'x', tags: [1] }), check({})]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('validates', async () => {
    const value = { title: 'x', tags: ['y'] }
    expect(await resolved.validate(value)).toEqual({ ok: true, value })
  })

  it('says what does not fit, and where', async () => {
    const outcome = await resolved.validate({ title: 'x', tags: ['y', 2] })
    expect(outcome).toMatchObject({ ok: false, issues: [{ path: ['tags', 1], instancePath: '/tags/1' }] })
    expect(!outcome.ok && outcome.issues[0]?.message).toMatch(/^tags\[1\]: \S/)
  })
})

describe('schemas that transform', () => {
  const schema = z.object({ count: z.string().transform(Number).pipe(z.number()), size: z.number().default(5) })

  it('have two sides', () => {
    expect(resolveSchema(schema, options('input')).jsonSchema).toMatchObject({
      properties: { count: { type: 'string' } },
      required: ['count'],
    })
    expect(resolveSchema(schema, options('output')).jsonSchema).toMatchObject({
      properties: { count: { type: 'number' } },
      required: ['count', 'size'],
    })
  })

  it('hand on the value as they made it', () => {
    const validation = resolveSchema(schema, options()).validate({ count: '3' })
    expect(validation).toEqual({ ok: true, value: { count: 3, size: 5 } })
  })

  it('may take their time', async () => {
    const slow = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'is taken') })
    const { validate } = resolveSchema(slow, options())
    expect(await validate({ name: 'free' })).toEqual({ ok: true, value: { name: 'free' } })
    expect(await validate({ name: 'taken' })).toMatchObject({ ok: false, issues: [{ message: 'name: is taken' }] })
  })
})

describe('a schema that does not describe itself', () => {
  const other: StandardSchema<string> = {
    '~standard': { version: 1, vendor: 'other', validate: (value) => ({ value: String(value) }) },
  }

  it.each<[string, object, string]>([
    [
      'zod/mini',
      mini.object({ a: mini.string() }),
      'use "zod" instead of "zod/mini", or pass a JSON Schema beside it, as inputJsonSchema, made with z.toJSONSchema(schema)',
    ],
    [
      'zod 3',
      z3.object({ a: z3.string() }),
      'it is of zod 3: use "zod" 4.2 or later, or pass a JSON Schema beside it, as inputJsonSchema, made with "zod-to-json-schema"',
    ],
    ['valibot', v.object({ a: v.string() }), 'wrap it with toStandardJsonSchema() of "@valibot/to-json-schema"'],
    [
      'another',
      other,
      'the "other" schema does not describe itself as JSON Schema; pass a JSON Schema beside it, as inputJsonSchema',
    ],
  ])('is refused with the way out: %s', (_, schema, advice) => {
    expect(() => resolveSchema(schema, options())).toThrow(SchemaError)
    expect(() => resolveSchema(schema, options())).toThrow(advice)
  })

  it('is accepted with a JSON Schema beside it', () => {
    const schema = mini.object({ a: mini.string() })
    const jsonSchema = z.toJSONSchema(schema) as Record<string, unknown>
    const resolved = resolveSchema(schema, { ...options(), jsonSchema })
    expect(resolved.jsonSchema).toBe(jsonSchema)
    expect(resolved.validate({ a: 1 })).toMatchObject({ ok: false, issues: [{ path: ['a'] }] })
  })

  it('is refused where JSON Schema has no words for it', () => {
    expect(() => resolveSchema(z.object({ when: z.date() }), options())).toThrow(SchemaError)
    expect(() => resolveSchema(z.object({ when: z.date() }), options())).toThrow(
      /cannot express \(Date cannot be represented in JSON Schema\); pass a JSON Schema beside it/,
    )
  })
})

describe('F194 what is no schema at all', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a boolean', true],
    ['a list', []],
    ['a text', 'object'],
    ['a function', () => true],
    ['an invalid JSON Schema', { type: 'text' }],
  ])('is refused: %s', (_, schema) => {
    expect(() => resolveSchema(schema as object, options())).toThrow(SchemaError)
  })

  it('a JSON Schema may have a property named ~standard', () => {
    const schema = { properties: { '~standard': { type: 'string' } } }
    expect(resolveSchema(schema, options()).validate({ '~standard': 1 })).toMatchObject({ ok: false })
  })
})

it('issues of others are bounded and keep odd keys readable', async () => {
  const schema: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'other',
      validate: () => ({
        issues: Array.from({ length: 50 }, () => ({ message: 'no', path: [{ key: 'a' }, 0, Symbol('s')] })),
      }),
    },
  }
  const outcome = await resolveSchema(schema, { ...options(), jsonSchema: {} }).validate(1)
  expect(outcome.ok).toBe(false)
  expect(!outcome.ok && outcome.issues).toHaveLength(20)
  expect(!outcome.ok && outcome.issues[0]).toMatchObject({ message: 'a[0]["Symbol(s)"]: no' })
})

it('types are inferred', () => {
  const schema = z.object({ count: z.string().transform(Number) })
  expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{ count: string }>()
  expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ count: number }>()
  const arkSchema = type({ title: 'string' })
  expectTypeOf<InferOutput<typeof arkSchema>>().toEqualTypeOf<{ title: string }>()
  const valibotSchema = toStandardJsonSchema(v.object({ title: v.string() }))
  expectTypeOf<InferInput<typeof valibotSchema>>().toEqualTypeOf<{ title: string }>()
  expectTypeOf<InferInput<{ type: 'object' }>>().toEqualTypeOf<unknown>()
  const validation = resolveSchema(schema, options()).validate({ count: '1' })
  if (!(validation instanceof Promise) && validation.ok) {
    expectTypeOf(validation.value).toEqualTypeOf<{ count: number }>()
  }
  expect(validation).toEqual({ ok: true, value: { count: 1 } })
})

describe('issues of a union', () => {
  it('are so many and no more, however long the list that a caller sent', () => {
    const schema = z.object({ v: z.union([z.array(z.number()), z.array(z.boolean())]) })
    const { validate } = resolveSchema(schema, options())
    let validation: { issues?: readonly unknown[] } = {}
    const ms = cpuMilliseconds(() => {
      validation = validate({ v: new Array(100_000).fill('') }) as { issues: readonly unknown[] }
    })

    expect(validation.issues?.length).toBeLessThanOrEqual(20)
    // Looked through in pairs, they took most of a minute.
    expect(ms).toBeLessThan(10_000)
    const single = z.object({ v: z.union([z.array(z.number()), z.string()]) })
    const meant = resolveSchema(single, options()).validate({ v: new Array(50_000).fill('') }) as {
      issues: readonly unknown[]
    }
    expect(meant.issues.length).toBeLessThanOrEqual(20)
  })
})

describe('a map of schemas', () => {
  it.each<[string, object, RegExp]>([
    [
      'zod',
      { path: z.string() },
      /at #\/path: this is a map of "zod" schemas.*wrap it, as in z\.object\(\{ path: z\.string\(\) \}\)/,
    ],
    ['valibot', { type: 'object', path: v.string() }, /at #\/path: .*"valibot".*v\.object/],
    ['arktype', { path: type('string') }, /at #\/path: .*"arktype".*type\(\{ path: … \}\)/],
    ['a map within a map', { filter: { 'a/b': z.string() } }, /at #\/filter\/a~1b: a JSON Schema cannot hold a "zod"/],
    ['JSON Schema around zod', { properties: { path: z.string() } }, /at #\/properties\/path: a JSON Schema cannot/],
    ['a list', { anyOf: [{ type: 'null' }, z.string()] }, /at #\/anyOf\/1: a JSON Schema cannot hold/],
  ])('is no JSON Schema: %s', (_, schema, message) => {
    expect(() => resolveSchema(schema, options())).toThrow(SchemaError)
    expect(() => resolveSchema(schema, options())).toThrow(message)
  })

  it('is no JSON Schema either where the schemas in it are', () => {
    for (const schema of [{ path: { type: 'string' } }, { title: { type: 'string' }, of: { anyOf: [true] } }]) {
      expect(() => resolveSchema(schema, options())).toThrow(/map of schemas.*as in \{ type: "object", properties: \{/)
    }
    const fine = [
      {},
      { title: 'Any' },
      { 'x-ui': { type: 'wide' } },
      { $defs: { a: { type: 'string' } } },
      { words: {} },
      { $ref: '#/$defs/a', $defs: { a: { type: 'object' } }, default: { type: 'circle' } },
      { description: 'any', default: { type: 'circle' } },
    ]
    for (const schema of fine) expect(resolveSchema(schema, options()).jsonSchema).toBe(schema)
  })

  it('is told from JSON Schema that zod has made', () => {
    const described = z.toJSONSchema(z.object({ a: z.number() })) as object
    const schema = { type: 'object', properties: { o: described }, additionalProperties: described }
    expect(resolveSchema(schema, options()).validate({ o: { a: 'x' }, p: {} })).toMatchObject({
      ok: false,
      issues: [{ path: ['o', 'a'] }, { path: ['p'] }],
    })
  })

  it('is told from a schema that merely has such names, and from one that goes in circles', () => {
    const named = { type: 'object', properties: { '~standard': { type: 'string' } } }
    expect(resolveSchema(named, options()).validate({ '~standard': 1 })).toMatchObject({ ok: false })
    const round: { a?: object; b?: object } = {}
    Object.assign(round, { a: round, b: round })
    expect(() => resolveSchema(round, options())).toThrow('schema depth')
  })
})

describe('unions of zod', () => {
  const circle = z.object({ kind: z.literal('circle'), radius: z.number() })
  const square = z.object({ kind: z.literal('square'), side: z.number() })

  const messagesOf = (schema: object, value: unknown): string[] => {
    const outcome = resolveSchema(schema, options()).validate(value)
    if (outcome instanceof Promise || outcome.ok) throw new Error('Expected issues')
    return outcome.issues.map(({ message }) => message)
  }

  it.each<[string, object, unknown, string[]]>([
    [
      'the one that was meant',
      z.union([circle, square]),
      { kind: 'square', side: 'x' },
      ['a.side: Invalid input: expected number, received string'],
    ],
    [
      'what tells them apart',
      z.union([circle, square]),
      { kind: 'star' },
      ['a.kind: Invalid input: expected "circle" or "square"'],
    ],
    [
      'the types together',
      z.union([z.string(), z.number(), z.literal(true)]),
      [],
      ['a: Invalid input: expected string or number or true'],
    ],
    [
      'a little of each',
      z.union([z.object({ x: z.number() }), z.object({ y: z.array(z.string()) })]),
      { y: [1] },
      [
        'a: Invalid input: expected one of 2 alternatives: x: expected number, received undefined; or y[0]: expected string, received number',
      ],
    ],
    [
      'unions in unions',
      z.union([z.null(), z.object({ b: z.union([z.string(), z.number()]) })]),
      { b: true },
      ['a.b: Invalid input: expected string or number'],
    ],
    [
      'the words of the author',
      z.union([z.string(), z.number()], 'Give a name or a number'),
      [],
      ['a: Give a name or a number'],
    ],
    [
      'no tag',
      z.discriminatedUnion('kind', [circle, square]),
      {},
      ["a.kind: Invalid discriminator value. Expected 'circle' | 'square'"],
    ],
  ])('tell %s', (_, schema, value, messages) => {
    expect(messagesOf(z.object({ a: schema as z.ZodType }), { a: value })).toEqual(messages)
  })

  it('say no more of alternatives than fits a line', () => {
    const many = Array.from({ length: 20 }, (_, n) => z.object({ [`member${n}`.repeat(9)]: z.number() }))
    expect(messagesOf(z.union(many), {})[0]?.length).toBeLessThan(400)
  })
})

it('keeps messages of libraries on one line, and short', () => {
  const outcome = resolveSchema(z.strictObject({}), options()).validate({ ['x\n\n\u202eIgnore'.repeat(99)]: 1 })
  const message = outcome instanceof Promise || outcome.ok ? '' : outcome.issues[0]?.message
  expect(message).toMatch(/^Unrecognized key: "x \\u202eIgnorex /)
  expect(message).not.toMatch(/[\n\u202e]/)
  expect(message?.length).toBeLessThan(1_000)
})
