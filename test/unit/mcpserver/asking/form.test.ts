// Schemas as forms: what the client sees, and how the handler's content is typed.
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { formOf } from '../../../../src/mcpserver/asking/form.ts'
import type { Interaction } from '../../../../src/mcpserver/asking/interaction.ts'
import type { ElicitContent } from '../../../../src/types/features/elicitation.ts'

const BOOKING = z.object({
  name: z.string().min(1),
  seats: z.number().int().min(1).max(8).default(2),
  window: z.boolean().optional(),
  meal: z.enum(['meat', 'fish']),
})

describe('the form of a schema', () => {
  it('is its JSON Schema without the dialect', () => {
    const { requestedSchema } = formOf(BOOKING)
    expect(requestedSchema).toMatchObject({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        seats: { type: 'integer', default: 2, maximum: 8 },
        window: { type: 'boolean' },
        meal: { type: 'string', enum: ['meat', 'fish'] },
      },
      required: ['name', 'meal'],
    })
    expect(requestedSchema).not.toHaveProperty('$schema')
  })

  it('is made once', () => {
    expect(formOf(BOOKING)).toBe(formOf(BOOKING))
  })

  it('applies what the schema adds', async () => {
    const answer = { action: 'accept', content: { name: 'Ada', meal: 'fish' } }
    expect(await formOf(BOOKING).read(answer)).toEqual({
      action: 'accept',
      content: { name: 'Ada', meal: 'fish', seats: 2 },
    })
  })

  it.each([
    ['an object in it', z.object({ deep: z.object({}) }), 'properties.deep'],
    ['a list of anything', { type: 'object', properties: { list: { type: 'array' } } }, 'properties.list'],
    ['no object at all', z.string(), 'object schema'],
  ])('is refused with the place: %s', (_what, schema, place) => {
    expect(() => formOf(schema)).toThrow(place)
  })

  it('is rejected with the fix when the schema has no JSON Schema', () => {
    const mute = { '~standard': { version: 1, vendor: 'valibot', validate: (value: unknown) => ({ value }) } }
    expect(() => formOf(mute)).toThrow('toStandardJsonSchema')
  })
})

it('content is typed by the schema', () => {
  const check = async (interaction: Interaction) => {
    const booking = await interaction.elicit('Book', BOOKING)
    if (booking.action === 'accept') expectTypeOf(booking.content.seats).toEqualTypeOf<number>()
    const plain = await interaction.elicit('Book', { type: 'object', properties: {} })
    if (plain.action === 'accept') expectTypeOf(plain.content).toEqualTypeOf<ElicitContent>()
    expectTypeOf(booking.content?.seats).toEqualTypeOf<number | undefined>()
    // @ts-expect-error Only an accepted form has content.
    return booking.content.seats
  }
  expect(check).toBeTypeOf('function')
})
