// Schemas that a function of the user's own takes, and JSON Schemas of questions: their types go on to the handlers.
import { type Context, MCPServer, tool } from 'mcpwire'
import { z } from 'zod'

function register<Shape extends z.ZodType<Record<string, unknown>>>(
  server: MCPServer,
  name: string,
  input: Shape,
  run: (args: z.output<Shape>) => string,
): void {
  server.tool(name, { input }, (args) => run(args as z.output<Shape>))
  server.prompt(name, { input }, (args) => run(args as z.output<Shape>))
}

const server = new MCPServer('generic')
register(server, 'shout', z.object({ text: z.string() }), ({ text }) => text.toUpperCase())

export const defineTool = <Name extends string, Shape extends z.ZodObject>(name: Name, input: Shape) =>
  tool(name, { input }, (args) => JSON.stringify(args))

// @ts-expect-error: a map of schemas
server.tool('raw', { input: { text: z.string() } }, () => 'done')
// @ts-expect-error: a map of schemas
server.tool('raw', { output: { text: z.string() } }, () => ({ text: 'done' }))

export async function ask(ctx: Context): Promise<string> {
  const answer = await ctx.elicit('Who are you?', {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      plan: { type: 'string', enum: ['free', 'paid'] },
    },
    required: ['name', 'plan'],
  })
  if (answer.action !== 'accept') return answer.action
  const { name, age, plan } = answer.content
  const known: 'free' | 'paid' = plan
  // @ts-expect-error: a name is a string
  const wrong: number = name
  return `${name.trim()}, ${(age ?? 0).toFixed()}, ${known}, ${wrong}`
}

export async function askAnything(ctx: Context, fields: Record<string, { type: 'string' }>): Promise<unknown> {
  const answer = await ctx.elicit('Fill in', { type: 'object', properties: fields })
  return answer.content?.['name']
}
