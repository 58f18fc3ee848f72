// One tool in the words of every schema library, and what is the same about all of them.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { Type } from 'typebox'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { z } from 'zod'
import * as zm from 'zod/mini'
import { SchemaError } from '../../../../src/schema/json-schema.ts'
import { createServer, inBothEras, textOf } from '../support.ts'

const shape = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'number' } },
  required: ['city'],
} as const
const inputs: Record<string, object> = {
  zod: z.object({ city: z.string(), days: z.number().optional() }),
  valibot: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
  arktype: type({ city: 'string', 'days?': 'number' }),
  typebox: Type.Object({ city: Type.String(), days: Type.Optional(Type.Number()) }),
  'json schema': shape,
}
const outputs: Record<string, object> = {
  zod: z.object({ celsius: z.number() }),
  valibot: toStandardJsonSchema(v.object({ celsius: v.number() })),
  arktype: type({ celsius: 'number' }),
  typebox: Type.Object({ celsius: Type.Number() }),
  'json schema': { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
}

inBothEras('schemas of every library', ({ connect }) => {
  for (const [library, input] of Object.entries(inputs)) {
    it(`${library}: is listed, validates, and explains`, async () => {
      const { server } = createServer()
      server.tool('weather', { input, output: outputs[library] as object }, (args) => {
        const { city, days = 1 } = args as { city: string; days?: number }
        return city === 'nowhere' ? { celsius: 'none' } : { celsius: city.length * days }
      })
      await using client = await connect(server)
      const [tool] = (await client.listTools()).tools

      expect(tool?.inputSchema).toMatchObject(shape)
      expect(tool?.outputSchema).toMatchObject({ type: 'object', properties: { celsius: { type: 'number' } } })
      expect((await client.callTool('weather', { city: 'Rome', days: 2 })).structuredContent).toEqual({ celsius: 8 })
      const refused = await client.callTool('weather', { city: 'Rome', days: 'two' })
      expect(refused.isError).toBe(true)
      expect(textOf(refused)).toMatch(/^Invalid arguments for tool "weather":\n- days: .*number.*(string|two)/i)
      expect(await client.callTool('weather', { city: 'nowhere' })).toMatchObject({ isError: true })
    })
  }
})

it('accepts a JSON Schema beside a schema that has none', async () => {
  const { server } = createServer()
  const input = zm.object({ city: zm.string() })
  expect(() => server.tool('weather', { input }, () => 1)).toThrow(SchemaError)
  const elsewhere = { type: 'object', properties: { city: { $ref: 'https://example.com/city.json' } } }
  expect(() => server.tool('weather', { input, inputJsonSchema: elsewhere }, () => 1)).toThrow(SchemaError)
  server.tool(
    'weather',
    { input, inputJsonSchema: { type: 'object', properties: { city: { type: 'string' } } } },
    ({ city }) => city,
  )

  expect((await server.listTools()).tools[0]?.inputSchema.properties).toEqual({ city: { type: 'string' } })
  expect(textOf(await server.callTool('weather', { city: 'Rome' }))).toBe('Rome')
  expect(await server.callTool('weather', { city: 1 })).toMatchObject({ isError: true })
})

it('names the fix where the description is missing', () => {
  const { server } = createServer()
  expect(() => server.tool('weather', { input: v.object({}) }, () => 1)).toThrow(/toStandardJsonSchema/)
})

it('passes transformed arguments to handlers, and transformed results to clients', async () => {
  const { server } = createServer()
  const input = z.object({ day: z.string().transform((text) => text.length), tags: z.array(z.string()).default([]) })
  const output = z.object({ n: z.number().transform(String) }).pipe(z.object({ n: z.string() }))
  server.tool('convert', { input, output }, ({ day, tags }) => ({ n: day + tags.length }))

  expect((await server.callTool('convert', { day: 'Monday' })).structuredContent).toEqual({ n: '6' })
  expect((await server.listTools()).tools[0]?.outputSchema?.properties).toEqual({ n: { type: 'string' } })
})

it('waits for schemas that validate asynchronously', async () => {
  const { server } = createServer()
  const input = z.object({ user: z.string().refine(async (user) => user !== 'nobody', 'expected somebody') })
  server.tool('greet', { input, output: z.object({ to: z.string().refine(async () => true) }) }, ({ user }) => ({
    to: user,
  }))

  expect((await server.callTool('greet', { user: 'Ada' })).structuredContent).toEqual({ to: 'Ada' })
  expect(textOf(await server.callTool('greet', { user: 'nobody' }))).toContain('user: expected somebody')
})

it('says that arguments are an object where a schema leaves that open', async () => {
  const { server } = createServer()
  const input = z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() }))
  server.tool('add', { input }, ({ a, b }) => a + b)

  expect((await server.listTools()).tools[0]?.inputSchema.type).toBe('object')
  expect((await server.callTool('add', { a: 1, b: 2 })).structuredContent).toEqual({ result: 3 })
})
