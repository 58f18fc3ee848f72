// What must and must not compile when a server is written, and what its clients then know.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { Type } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import { Client } from '../../src/client/client.ts'
import type { Context } from '../../src/mcpserver/handlers/context.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { tool } from '../../src/mcpserver/tools/tool.ts'
import { image } from '../../src/mcpserver/values/media.ts'
import type { CallToolResult } from '../../src/types/features/tools.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { type Fits, holds, type Same } from './assert.ts'

const server = new MCPServer('types')

// Arguments come from the input, whatever library it is written in.
server.tool('zod', { input: z.object({ a: z.number(), b: z.string().optional() }) }, (args) => {
  holds<Same<typeof args, { a: number; b?: string | undefined }>>()
})
server.tool('zod transforms', { input: z.object({ n: z.string().transform(Number) }) }, ({ n }) => {
  holds<Same<typeof n, number>>()
})
server.tool('valibot', { input: toStandardJsonSchema(v.object({ a: v.number() })) }, (args) => {
  holds<Same<typeof args, { a: number }>>()
})
server.tool('arktype', { input: type({ a: 'number', 'b?': 'string' }) }, (args) => {
  holds<Same<typeof args, { a: number; b?: string }>>()
})
server.tool(
  'typebox',
  { input: Type.Object({ a: Type.Number(), b: Type.Optional(Type.Array(Type.String())) }) },
  (args) => {
    holds<Same<typeof args.a, number>>()
    holds<Fits<string[] | undefined, typeof args.b>>()
  },
)
server.tool(
  'json schema',
  {
    input: {
      type: 'object',
      properties: {
        a: { type: 'number' },
        b: { enum: ['x', 'y'] },
        c: { type: 'array', items: { type: ['string', 'null'] } },
        d: { $ref: '#/$defs/d' },
      },
      required: ['a'],
    },
  },
  (args) => {
    holds<Same<typeof args.a, number>>()
    holds<Same<typeof args.b, 'x' | 'y' | undefined>>()
    holds<Same<typeof args.c, (string | null)[] | undefined>>()
    holds<Same<typeof args.d, unknown>>()
  },
)
declare const anySchema: JSONObject
server.tool('some json schema', { input: anySchema }, (args) => {
  holds<Same<typeof args, JSONObject>>()
})
server.tool('none', {}, (args, ctx) => {
  holds<Fits<typeof args, { readonly [name: string]: never }>>()
  holds<Same<typeof ctx, Context<unknown>>>()
})

// What a handler returns is held against the output.
const output = z.object({ celsius: z.number() })
server.tool('fits', { output }, () => ({ celsius: 21 }))
server.tool('fits later', { output }, async () => ({ celsius: 21 }))
server.tool('fails', { output }, (): CallToolResult => ({ content: [], isError: true }))
server.tool('asks', { output }, () => ({ resultType: 'input_required', inputRequests: {} }) as const)
server.tool('yields', { output: z.array(z.number()) }, async function* () {
  yield 1
})
// @ts-expect-error: a string is no number
server.tool('misfits', { output }, () => ({ celsius: '21' }))
// @ts-expect-error: nor is nothing
server.tool('misfits later', { output }, async () => {})
server.tool(
  'json output',
  { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
  () => ({
    n: 1,
  }),
)
// @ts-expect-error: literal JSON Schemas count as well
server.tool('json misfit', { output: { type: 'number' } }, () => 'one')

// What the lifespan makes is known where it is used.
const withLife = new MCPServer('life', { lifespan: async () => ({ db: 'open' as const }) })
withLife.tool('query', { visible: (ctx) => ctx.lifespan.db === 'open' }, (_args, ctx) => ctx.lifespan.db)
withLife.resource('db://state', (_variables, ctx) => ctx.lifespan.db)

// The variables of a template are read off its text.
server.resource('greeting://{name}', (variables) => {
  holds<Same<typeof variables, { name: string }>>()
})
server.resource('files:///{+path}{?rev,lang*}', {}, (variables) => {
  holds<Same<typeof variables, { path: string; rev?: string; lang?: string[] }>>()
})
server.resource('fixed://one', (variables) => {
  holds<Same<keyof typeof variables, never>>()
})
declare const anyUri: string
server.resource(anyUri, (variables) => {
  holds<Same<(typeof variables)[string], string | string[]>>()
})

server.prompt('review', { input: z.object({ code: z.string() }) }, ({ code }) => {
  holds<Same<typeof code, string>>()
  return code
})

// Answers are typed by the schema of the question.
server.tool('ask', {}, async (_args, ctx) => {
  const answer = await ctx.elicit('How many?', z.object({ seats: z.number() }))
  if (answer.action === 'accept') holds<Same<typeof answer.content.seats, number>>()
  // Without asking for the action: there is content only where the form was accepted.
  const seats = answer.content?.seats ?? 0
  holds<Same<typeof seats, number>>()
  if (answer.action !== 'accept') holds<Same<typeof answer.content, undefined>>()
})

// Tools defined as values make the client typed.
const add = tool('add', { input: z.object({ a: z.number() }), output: z.object({ sum: z.number() }) }, ({ a }) => ({
  sum: a,
}))
const greet = tool('greet', { input: z.object({ name: z.string().default('you') }) }, ({ name }) => `Hello, ${name}`)
const typed = new MCPServer('typed', { tools: [add, greet] })
const client = await Client.connect(typed)
const sum = await client.callTool('add', { a: 1 })
holds<Same<NonNullable<typeof sum.structuredContent>, { sum: number }>>()
await client.callTool('greet', {})
// @ts-expect-error: there is no such argument
await client.callTool('add', { a: '1' })
const remote = await Client.connect<typeof typed>('http://localhost/mcp')
holds<Same<Parameters<typeof remote.callTool<'add'>>[1], { a: number }>>()

// Tools that are registered by a statement are called untyped.
typed.tool('subtract', { input: z.object({ a: z.number() }) }, ({ a }) => -a)
const difference = await client.callTool('subtract', { a: 1 })
holds<Same<typeof difference, CallToolResult>>()
declare const anyName: string
const untyped = await remote.callTool(anyName, { a: 1 }, { timeoutMs: 5 })
holds<Same<typeof untyped, CallToolResult>>()

// Without definitions, everything is the plain protocol's.
const plain = await Client.connect(server)
const result = await plain.callTool('anything', { at: 'all' })
holds<Same<typeof result.structuredContent, unknown>>()
holds<Fits<MCPServer<readonly [typeof add]>, MCPServer>>()

// A map of schemas is no schema: as a JSON Schema it would check nothing.
// @ts-expect-error: wrap it with z.object
server.tool('map', { input: { path: z.string() } }, () => 1)
// @ts-expect-error: nor one of several libraries
server.tool('mixed map', { input: { path: v.string(), n: type('number') } }, () => 1)
// @ts-expect-error: nor for what is returned
server.tool('output map', { output: { path: z.string() } }, () => ({ path: '' }))
// @ts-expect-error: nor as a value
tool('value map', { input: { path: z.string() } }, () => 1)
// @ts-expect-error: nor for a prompt
server.prompt('prompt map', { input: { path: z.string() } }, () => '')
server.tool('described', { input: { type: 'object', not: z.toJSONSchema(z.object({ a: z.null() })) } }, () => 1)
server.tool('empty', { input: {} }, (args) => {
  holds<Same<typeof args, JSONObject>>()
})

// An update is typed by the schemas that the thing has, or by those that it brings along with a handler.
const handle = server.tool('changing', { input: z.object({ a: z.number() }) }, ({ a }) => a)
handle.update({ description: 'Changed' })
handle.update({ run: ({ a }) => a.toFixed() })
handle.update({ input: z.object({ b: z.string() }), run: ({ b }) => b.length })
handle.update({ output: z.object({ n: z.number() }), run: ({ a }) => ({ n: a }) })
// @ts-expect-error: the handler is for other arguments
handle.update({ input: z.object({ b: z.string() }) })
// @ts-expect-error: and what it returns has to fit
handle.update({ output: z.object({ n: z.number() }), run: ({ a }) => ({ n: String(a) }) })
// @ts-expect-error: a map of schemas is no schema here either
handle.update({ input: { b: z.string() }, run: () => 1 })
const promptHandle = server.prompt('changing', { input: z.object({ a: z.string() }) }, ({ a }) => a)
promptHandle.update({ run: ({ a }) => a.trim() })
promptHandle.update({ input: z.object({ b: z.string() }), run: ({ b }) => b.trim() })
// @ts-expect-error: the handler is for other arguments
promptHandle.update({ input: z.object({ b: z.string() }) })

// Calls without a client: a cursor belongs to lists, and callbacks answer as those of a client do.
await server.listTools({ cursor: 'x', protocolVersion: '2025-11-25', clientCapabilities: { sampling: {} } })
await server.callTool(
  'ask',
  {},
  { onElicitation: ({ message }) => ({ action: message === '' ? 'cancel' : 'decline' }) },
)
await server.getPrompt('ask', {}, { onListRoots: async () => ({ roots: [] }) })
// @ts-expect-error: a call has no pages
await server.callTool('ask', {}, { cursor: 'x' })
// @ts-expect-error: an answer is one that a client could give
await server.callTool('ask', {}, { onElicitation: () => ({ action: 'perhaps' }) })
// @ts-expect-error: a revision is one of those that exist
await server.listTools({ protocolVersion: '2020-01-01' })
image(new ArrayBuffer(1))
// @ts-expect-error: a list of numbers is no picture
image([1, 2, 3])
