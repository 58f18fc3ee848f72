import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { compileSchema } from '../../../src/schema/compile.ts'
import { createSchemaEngine } from '../../../src/schema/engine.ts'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import type { InferInput, InferOutput, StandardSchema } from '../../../src/schema/standard-schema.ts'
import { resolveSchema, type SchemaDirection } from '../../../src/schema/user-schema.ts'

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
    ['zod/mini', mini.object({ a: mini.string() }), 'z.toJSONSchema(schema)'],
    ['valibot', v.object({ a: v.string() }), 'wrap it with toStandardJsonSchema() of "@valibot/to-json-schema"'],
    ['another', other, 'the "other" schema does not describe itself as JSON Schema; pass a JSON Schema beside it'],
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
    expect(() => resolveSchema(z.object({ when: z.date() }), options())).toThrow('cannot express')
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
