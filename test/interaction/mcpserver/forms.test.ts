// Forms made of the schemas that authors have, for clients that know only the few forms of their revision.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { expect } from 'vitest'
import { z } from 'zod'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer, textsOf } from '../kit/support-mcpserver.ts'

const UUID = '7d444840-9dc0-11d1-b245-5ffdce74fad2'

/** The same form in every way that authors write one. */
const TRIPS = {
  zod: z.object({
    meal: z.union([z.literal('fish'), z.literal('meat')]),
    seat: z.enum(['aisle', 'window']).nullable(),
    note: z.string().nullable().optional(),
    id: z.uuid(),
  }),
  valibot: toStandardJsonSchema(
    v.object({
      meal: v.picklist(['fish', 'meat']),
      seat: v.nullable(v.picklist(['aisle', 'window'])),
      note: v.optional(v.nullable(v.string())),
      id: v.pipe(v.string(), v.uuid()),
    }),
  ),
  arktype: type({ meal: "'fish'|'meat'", seat: "'aisle'|'window'|null", 'note?': 'string|null', id: 'string.uuid' }),
  typebox: Type.Object({
    meal: Type.Union([Type.Literal('fish'), Type.Literal('meat')]),
    seat: Type.Union([Type.Literal('aisle'), Type.Literal('window'), Type.Null()]),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    id: Type.String({ format: 'uuid' }),
  }),
  'JSON Schema': {
    type: 'object',
    properties: {
      meal: { enum: ['fish', 'meat'] },
      seat: { enum: ['aisle', 'window', null] },
      note: { type: ['string', 'null'] },
      id: { type: 'string', format: 'uuid' },
    },
    required: ['meal', 'seat', 'id'],
  },
}

requirement('mcpserver:ask:any-schema-library', async ({ connect }) => {
  const { server } = createServer()
  for (const [library, schema] of Object.entries(TRIPS)) {
    server.tool(library.replace(' ', ''), {}, async (_args, ctx) => JSON.stringify(await ctx.elicit('Trip?', schema)))
  }
  const asked: unknown[] = []
  await using client = await connect(server, {
    onElicitation: (params) => {
      asked.push('requestedSchema' in params && params.requestedSchema)
      return { action: 'accept', content: { id: UUID, meal: 'fish' } }
    },
  })

  for (const library of Object.keys(TRIPS)) {
    const [answer = ''] = textsOf(await client.callTool(library.replace(' ', '')))
    expect(JSON.parse(answer)).toEqual({ action: 'accept', content: { id: UUID, meal: 'fish', seat: null } })
  }
  const fields = { meal: { type: 'string', enum: ['fish', 'meat'] }, note: { type: 'string' }, id: { type: 'string' } }
  for (const form of asked) {
    expect(form).toMatchObject({ properties: fields })
    expect((form as { required: string[] }).required.toSorted()).toEqual(['id', 'meal'])
  }
})

requirement('mcpserver:ask:titled-choices', async ({ connect, version }) => {
  const meal = z.union([z.literal('f').meta({ title: 'Fish' }), z.literal('m').meta({ title: 'Meat' })])
  const { server } = createServer()
  server.tool('tool', {}, async (_args, ctx) => JSON.stringify(await ctx.elicit('Meal?', z.object({ meal }))))
  const asked: unknown[] = []
  await using client = await connect(server, {
    onElicitation: (params) => {
      asked.push('requestedSchema' in params && params.requestedSchema.properties['meal'])
      return { action: 'accept', content: { meal: 'f' } }
    },
  })

  expect(textsOf(await client.callTool('tool'))).toEqual(['{"action":"accept","content":{"meal":"f"}}'])
  const options = [
    { const: 'f', title: 'Fish' },
    { const: 'm', title: 'Meat' },
  ]
  expect(asked).toMatchObject([
    isVersionAtLeast(version, '2025-11-25') ? { oneOf: options } : { enum: ['f', 'm'], enumNames: ['Fish', 'Meat'] },
  ])
})
