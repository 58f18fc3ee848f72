// A tool with an output takes literals, whatever its schema is written in and however its handler answers.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { type CallToolResult, MCPServer, ToolError, tool } from 'mcpwire'
import { Type } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'

const server = new MCPServer('literals')
const input = z.object({ on: z.boolean() })
const text = 'some text'

// The same output in every library.
const inZod = z.object({ kind: z.enum(['a', 'b']), list: z.array(z.enum(['x', 'y'])) })
const inValibot = toStandardJsonSchema(
  v.object({ kind: v.picklist(['a', 'b']), list: v.array(v.picklist(['x', 'y'])) }),
)
const inArktype = type({ kind: "'a' | 'b'", list: "('x' | 'y')[]" })
const inTypebox = Type.Object({
  kind: Type.Enum(['a', 'b']),
  list: Type.Array(Type.Union([Type.Literal('x'), Type.Literal('y')])),
})
const inJSONSchema = {
  type: 'object',
  properties: { kind: { enum: ['a', 'b'] }, list: { type: 'array', items: { enum: ['x', 'y'] } } },
  required: ['kind', 'list'],
} as const

server.tool('zod', { output: inZod }, () => ({ kind: 'a', list: ['x', 'y'] }))
server.tool('zod later', { input, output: inZod }, async ({ on }) => ({ kind: on ? 'a' : 'b', list: ['x'] }))
server.tool('valibot', { output: inValibot }, () => ({ kind: 'a', list: ['x', 'y'] }))
server.tool('valibot later', { input, output: inValibot }, async ({ on }) => ({ kind: on ? 'a' : 'b', list: ['x'] }))
server.tool('arktype', { output: inArktype }, () => ({ kind: 'a', list: ['x', 'y'] }))
server.tool('arktype later', { input, output: inArktype }, async ({ on }) => ({ kind: on ? 'a' : 'b', list: ['x'] }))
server.tool('typebox', { output: inTypebox }, () => ({ kind: 'a', list: ['x', 'y'] }))
server.tool('typebox later', { input, output: inTypebox }, async ({ on }) => ({ kind: on ? 'a' : 'b', list: ['x'] }))
server.tool('json', { output: inJSONSchema }, () => ({ kind: 'a', list: ['x', 'y'] }))
server.tool('json later', { input, output: inJSONSchema }, async ({ on }) => ({ kind: on ? 'a' : 'b', list: ['x'] }))
server.tool(
  'json in place',
  { output: { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] } },
  () => ({ kind: 'b' }),
)

// Every way to answer.
server.tool('branches', { input, output: inZod }, ({ on }) =>
  on ? { kind: 'a', list: [] } : { kind: 'b', list: ['x'] },
)
server.tool('statements', { input, output: inZod }, async ({ on }, ctx) => {
  await ctx.reportProgress(1)
  if (ctx.signal.aborted) throw new ToolError('Too late')
  if (on) return { kind: 'a', list: ['x'] }
  return { content: [{ type: 'text', text: 'failed' }], isError: true }
})
server.tool('function', { input, output: inZod }, function answer({ on }) {
  return { kind: on ? 'a' : 'b', list: [] }
})
server.tool('generator', { output: inZod }, function* () {
  yield { kind: 'a', list: ['x'] }
})
server.tool('generator later', { output: z.array(z.enum(['a', 'b'])) }, async function* () {
  yield 'a'
  yield 'b'
})
server.tool('whole result', { output: inZod }, () => {
  const structuredContent = { kind: 'a', list: [] }
  return { content: [{ type: 'text', text }], structuredContent }
})
server.tool('whole result later', { output: inZod }, async () => ({
  content: [
    { type: 'text', text },
    { type: 'image', data: '', mimeType: 'image/png', annotations: { audience: ['user'] } },
    { type: 'resource', resource: { uri: 'a://b', text } },
  ],
  structuredContent: { kind: 'a', list: [] },
  _meta: { from: ['here'] },
}))
server.tool('questions', { output: inZod }, () => ({
  resultType: 'input_required',
  inputRequests: { name: { method: 'roots/list' } },
}))
server.tool('bare text', { output: z.enum(['a', 'b']) }, () => 'a')
server.tool('bare number', { input, output: z.literal([1, 2]) }, ({ on }) => (on ? 1 : 2))
server.tool('bare truth', { output: z.literal(true) }, () => true)
server.tool('bare list', { output: z.array(z.enum(['a', 'b'])) }, async () => ['a', 'b'])
server.tool('tuple', { output: z.tuple([z.literal('a'), z.number()]) }, () => ['a', 1])
server.tool(
  'union',
  {
    output: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('one'), n: z.number() }),
      z.object({ kind: z.literal('two') }),
    ]),
  },
  async () => ({ kind: 'one', n: 1 }),
)

// Values from elsewhere, whether they can be changed or not.
interface Report {
  kind: 'a' | 'b'
  list: ('x' | 'y')[]
}
declare const report: Report
declare const frozen: { readonly kind: 'a'; readonly list: readonly 'x'[] }
declare const result: CallToolResult
declare function load(): Promise<Report>
server.tool('known', { output: inZod }, () => report)
server.tool('frozen', { output: inZod }, () => frozen)
server.tool('result', { output: inZod }, async () => result)
server.tool('loaded', { output: inZod }, load)
server.tool('now or later', { output: inZod }, (_args, ctx) => (ctx.signal.aborted ? load() : report))
server.tool(
  'objects with methods, and what is not known',
  {
    output: z.object({
      at: z.date(),
      named: z.record(z.string(), z.array(z.number())),
      rest: z.unknown(),
      any: z.any(),
    }),
    outputJsonSchema: { type: 'object' },
  },
  () => ({ at: new Date(), named: { a: [1] }, rest: [1], any: [2] }),
)

// Tools as values, and updates.
const one = tool('one', { input, output: inZod }, ({ on }) => ({ kind: on ? 'a' : 'b', list: ['x'] }))
const two = tool('two', { output: inJSONSchema }, async () => ({ kind: 'a', list: [] }))
const three = tool('three', { output: inZod }, () => ({ content: [{ type: 'text', text }] }))
new MCPServer('values', { tools: [one, two, three] })
const handle = server.tool('changed', { output: inZod }, () => ({ kind: 'a', list: ['x'] }))
handle.update({ run: () => ({ kind: 'b', list: [] }) })
handle.update({ output: inArktype, run: async () => ({ kind: 'b', list: ['y'] }) })

// Without an output nothing is asked of what a handler returns.
declare const unknownValue: unknown
server.tool('anything', {}, () => unknownValue)
server.tool('promise', {}, (_args, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', resolve)))

// What does not fit is refused.
// @ts-expect-error: no such kind
server.tool('misfit', { output: inZod }, () => ({ kind: 'c', list: [] }))
// @ts-expect-error: no such kind
server.tool('misfit later', { output: inZod }, async () => ({ kind: 'c', list: [] }))
// @ts-expect-error: no such member of the list
server.tool('misfit inside', { output: inValibot }, () => ({ kind: 'a', list: ['z'] }))
// @ts-expect-error: the list is missing
server.tool('incomplete', { output: inArktype }, () => ({ kind: 'a' }))
// @ts-expect-error: nothing is no report
server.tool('nothing', { output: inTypebox }, async () => {})
// @ts-expect-error: no such text
server.tool('bare misfit', { output: z.enum(['a', 'b']) }, () => 'c')
// @ts-expect-error: no such kind of content
server.tool('misfit content', { output: inJSONSchema }, () => ({ content: [{ type: 'txt', text }] }))
// @ts-expect-error: no such kind
tool('misfit value', { output: inZod }, () => ({ kind: 'c', list: [] }))
// @ts-expect-error: no such kind
handle.update({ run: () => ({ kind: 'c', list: [] }) })
