// How fields are written by schema libraries and by hand, and the forms that come of them.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { formOf } from '../../../../src/mcpserver/asking/form.ts'

const raw = (field: object, required = true) => ({
  type: 'object',
  properties: { field },
  ...(required && { required: ['field'] }),
})

const CHOICE = { type: 'string', enum: ['a', 'b'] }

describe('a choice', () => {
  it.each([
    ['zod, enum', z.object({ field: z.enum(['a', 'b']) })],
    ['zod, union', z.object({ field: z.union([z.literal('a'), z.literal('b')]) })],
    ['valibot, picklist', toStandardJsonSchema(v.object({ field: v.picklist(['a', 'b']) }))],
    ['valibot, union', toStandardJsonSchema(v.object({ field: v.union([v.literal('a'), v.literal('b')]) }))],
    ['arktype', type({ field: "'a'|'b'" })],
    ['typebox, union', Type.Object({ field: Type.Union([Type.Literal('a'), Type.Literal('b')]) })],
    ['typebox, enum', Type.Object({ field: Type.Enum(['a', 'b']) })],
    ['JSON Schema, values alone', raw({ enum: ['a', 'b'] })],
    ['JSON Schema, oneOf', raw({ oneOf: [{ const: 'a' }, { const: 'b' }] })],
    ['JSON Schema, oneOf and a type', raw({ type: 'string', oneOf: [{ const: 'a' }, { const: 'b' }] })],
    ['JSON Schema, choices within choices', raw({ anyOf: [{ const: 'a' }, { oneOf: [{ enum: ['b'] }] }] })],
  ])('is a list of strings: %s', (_who, schema) => {
    const { requestedSchema } = formOf(schema)
    expect(requestedSchema.properties['field']).toEqual(CHOICE)
    expect(requestedSchema.required).toEqual(['field'])
  })

  it.each([
    ['zod', z.object({ field: z.union([z.literal('a').meta({ title: 'Apple' }), z.literal('b')]) })],
    ['typebox', Type.Object({ field: Type.Union([Type.Literal('a', { title: 'Apple' }), Type.Literal('b')]) })],
    ['JSON Schema', raw({ anyOf: [{ const: 'a', title: 'Apple' }, { const: 'b' }] })],
  ])('shows the texts for people, and at 2025-06-18 beside the values: %s', (_who, schema) => {
    const form = formOf(schema)
    expect(form.requestedSchema.properties['field']).toMatchObject({
      type: 'string',
      oneOf: [
        { const: 'a', title: 'Apple' },
        { const: 'b', title: 'b' },
      ],
    })
    expect(form.requestedSchemaAt('2025-11-25')).toBe(form.requestedSchema)
    expect(form.requestedSchemaAt('2025-06-18').properties['field']).toEqual({ ...CHOICE, enumNames: ['Apple', 'b'] })
  })

  it.each([
    ['zod', z.object({ field: z.array(z.union([z.literal('a'), z.literal('b')])) })],
    ['valibot', toStandardJsonSchema(v.object({ field: v.array(v.picklist(['a', 'b'])) }))],
    ['arktype', type({ field: "('a'|'b')[]" })],
    ['typebox', Type.Object({ field: Type.Array(Type.Union([Type.Literal('a'), Type.Literal('b')])) })],
    ['JSON Schema', raw({ type: 'array', items: { enum: ['a', 'b'] } })],
  ])('may be of several: %s', (_who, schema) => {
    expect(formOf(schema).requestedSchema.properties['field']).toEqual({ type: 'array', items: CHOICE })
  })

  it('of several may have titles', () => {
    const options = [
      { const: 'a', title: 'Apple' },
      { const: 'b', title: 'b' },
    ]
    const { properties } = formOf(
      raw({ type: 'array', items: { oneOf: [options[0], { const: 'b' }] } }),
    ).requestedSchema
    expect(properties['field']).toEqual({ type: 'array', items: { anyOf: options } })
  })

  it.each([
    ['of one', { const: 'a', title: 'The field' }, { type: 'string', enum: ['a'], title: 'The field' }],
    ['of numbers', { enum: [1, 2] }, { type: 'number', enum: [1, 2] }],
    ['of whole numbers', { type: 'integer', enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
    ['of yes', { const: true }, { type: 'boolean', enum: [true] }],
    [
      'with a default',
      { enum: ['a', 'b'], default: 'a', description: 'd' },
      { ...CHOICE, default: 'a', description: 'd' },
    ],
    ['with names beside it', { ...CHOICE, enumNames: ['A', 'B'] }, { ...CHOICE, enumNames: ['A', 'B'] }],
  ])('keeps what was said about it: %s', (_what, field, expected) => {
    expect(formOf(raw(field)).requestedSchema.properties['field']).toEqual(expected)
  })

  it.each([
    ['strings and numbers', { enum: ['a', 1] }],
    ['another type than its own', { type: 'string', enum: [1, 2] }],
    ['objects', { enum: [{}] }],
    ['a string or a number', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['nothing but null', { type: 'null' }],
    ['both kinds of union', { anyOf: [{ const: 'a' }], oneOf: [{ const: 'a' }] }],
    ['lists of lists', { type: 'array', items: { type: 'array', items: { enum: ['a'] } } }],
  ])('is refused with the place when it is none: %s', (_what, field) => {
    expect(() => formOf(raw(field))).toThrow('properties.field')
  })
})

describe('a field that may be null', () => {
  const TEXT = { type: 'string' }

  it.each([
    ['zod', z.object({ field: z.string().nullable() }), TEXT],
    ['zod, with a default', z.object({ field: z.string().nullable().default(null) }), TEXT],
    ['zod, enum', z.object({ field: z.enum(['a', 'b']).nullable() }), CHOICE],
    ['zod, several', z.object({ field: z.array(z.enum(['a', 'b'])).nullable() }), { type: 'array', items: CHOICE }],
    ['valibot', toStandardJsonSchema(v.object({ field: v.nullable(v.string()) })), TEXT],
    ['arktype', type({ field: 'string|null' }), TEXT],
    ['arktype, choice', type({ field: "'a'|'b'|null" }), CHOICE],
    ['typebox', Type.Object({ field: Type.Union([Type.String(), Type.Null()]) }), TEXT],
    ['JSON Schema, types', raw({ type: ['string', 'null'] }), TEXT],
    ['JSON Schema, values', raw({ enum: ['a', 'b', null] }), CHOICE],
  ])('is left out, and null to the author: %s', async (_who, schema, field) => {
    const { requestedSchema, read } = formOf(schema)
    expect(requestedSchema.properties['field']).toEqual(field)
    expect(requestedSchema.required ?? []).toEqual([])
    expect(await read({ action: 'accept' })).toEqual({ action: 'accept', content: { field: null } })
  })

  it('stays absent where the author does not require it', async () => {
    for (const schema of [z.object({ field: z.string().nullish() }), raw({ type: ['string', 'null'] }, false)]) {
      expect(await formOf(schema).read({ action: 'accept', content: {} })).toEqual({ action: 'accept', content: {} })
    }
  })

  it('keeps its title and description, outside and inside of the union', () => {
    const inside = { type: 'string', minLength: 1, title: 'Inside', description: 'Both' }
    const field = { anyOf: [inside, { type: 'null' }], title: 'Outside', default: 'x' }
    expect(formOf(raw(field)).requestedSchema.properties['field']).toEqual({
      ...inside,
      title: 'Outside',
      default: 'x',
    })
  })

  it('leaves the others required', async () => {
    const schema = z.object({ name: z.string(), nick: z.string().nullable() })
    const { requestedSchema, read } = formOf(schema)
    expect(requestedSchema.required).toEqual(['name'])
    await expect(read({ action: 'accept', content: { nick: 'A' } })).rejects.toThrow('"name"')
  })
})

describe('a format that forms do not have', () => {
  const NOT_ONE = { action: 'accept', content: { field: 'not one' } }

  it.each([
    ['zod', z.object({ field: z.uuid() })],
    ['valibot', toStandardJsonSchema(v.object({ field: v.pipe(v.string(), v.uuid()) }))],
    ['arktype', type({ field: 'string.uuid' })],
    ['typebox', Type.Object({ field: Type.String({ format: 'uuid' }) })],
    ['JSON Schema', raw({ type: 'string', format: 'uuid' })],
  ])('is not sent, yet checked: %s', async (_who, schema) => {
    const { requestedSchema, read } = formOf(schema)
    expect(requestedSchema.properties['field']).toMatchObject({ type: 'string' })
    expect(requestedSchema.properties['field']).not.toHaveProperty('format')
    await expect((async () => read(NOT_ONE))()).rejects.toMatchObject({ path: 'content.field' })
    const content = { field: '7d444840-9dc0-11d1-b245-5ffdce74fad2' }
    expect(await read({ action: 'accept', content })).toEqual({ action: 'accept', content })
  })

  it.each(['date', 'date-time', 'email', 'uri'])('is none of these: %s', (format) => {
    expect(formOf(raw({ type: 'string', format })).requestedSchema.properties['field']).toHaveProperty('format', format)
  })
})
