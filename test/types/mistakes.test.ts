// What an editor shows for frequent mistakes: the first line of the compiler's message, as a user reads it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const folder = new URL('build/mistakes/', root)

const HEAD = `import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'
declare const server: MCPServer
declare const client: Client
`

const MISTAKES: readonly [name: string, code: string, message: string][] = [
  [
    'a raw shape as input',
    "server.tool('a', { input: { a: z.number() } }, () => 1)",
    'this is a map of schemas: wrap it, as in z.object({ … })',
  ],
  [
    'a text as input',
    "server.tool('a', { input: 'number' }, () => 1)",
    "Type 'string' is not assignable to type 'object'.",
  ],
  [
    'a missing await',
    "client.callTool('a').content",
    "Property 'content' does not exist on type 'Promise<CallToolResult>'.",
  ],
  [
    'a misspelled option of a tool',
    "server.tool('a', { desciption: 'x' }, () => 1)",
    "'desciption' does not exist in type 'ToolOptions<undefined, undefined, unknown>'. Did you mean to write 'description'?",
  ],
  [
    'a tool without a handler',
    "server.tool('a', { description: 'x' })",
    "'description' does not exist in type 'ToolHandler<undefined, undefined, unknown>'.",
  ],
  [
    'a result that does not fit the output',
    "server.tool('a', { output: z.object({ n: z.number() }) }, () => ({ n: 'two' }))",
    "Type 'string' is not assignable to type 'number'.",
  ],
  [
    'a handler that returns nothing for an output',
    "server.tool('a', { output: z.object({ n: z.number() }) }, () => {})",
    "Argument of type '() => void' is not assignable to parameter of type 'InlineToolHandler<",
  ],
  [
    'an argument that the input does not have',
    "server.tool('a', { input: z.object({ a: z.number() }) }, ({ b }) => b)",
    "Property 'b' does not exist on type '{ a: number; }'.",
  ],
  [
    'a server whose first argument is an object',
    "new MCPServer({ name: 'demo', version: '1' })",
    "Argument of type '{ name: string; version: string; }' is not assignable to parameter of type 'string'.",
  ],
  ['a misspelled option of a server', "new MCPServer('demo', { versoin: '1' })", "Did you mean to write 'version'?"],
  [
    'an unknown transport',
    "await server.run({ transport: 'sse' })",
    `Type '"sse"' is not assignable to type '"http" | "stdio" | undefined'.`,
  ],
  [
    'a port that is a string',
    "await server.run({ transport: 'http', port: '3000' })",
    "Type 'string' is not assignable to type 'number'.",
  ],
  [
    'arguments that are no object',
    "await client.callTool('a', 'text')",
    `Argument of type '"text"' is not assignable to parameter of type 'AnyArguments | undefined'.`,
  ],
  [
    'a time limit by another name',
    "await client.callTool('a', {}, { timeout: 5 })",
    "'timeout' does not exist in type 'ClientToolCallOptions'. Did you mean to write 'timeoutMs'?",
  ],
  [
    'a variable that the URI template does not have',
    "server.resource('notes://{id}', ({ name }) => name)",
    "Property 'name' does not exist on type 'Flat<{ id: string; }>'.",
  ],
  [
    'an unknown log level',
    "server.tool('a', (_args, ctx) => ctx.log('warn', 'x'))",
    `Argument of type '"warn"' is not assignable to parameter of type '"alert" | "critical"`,
  ],
  [
    'an old name of the mode',
    "await Client.connect('https://example.com/mcp', { mode: 'stateless' })",
    `Type '"stateless"' is not assignable to type 'ClientMode | undefined'.`,
  ],
  [
    'an object with a url as the target',
    "await Client.connect({ url: 'https://example.com/mcp' })",
    'pass the URL itself, as in Client.connect(url)',
  ],
  [
    'a command with its arguments in one list',
    "await Client.connect({ command: ['node', 'server.js'] })",
    "Type 'string[]' is not assignable to type 'string'.",
  ],
  [
    'arguments of a command by another name',
    "await Client.connect({ command: 'node', arguments: ['server.js'] })",
    "Object literal may only specify known properties, and 'arguments' does not exist in type",
  ],
  [
    'a callback that returns no result',
    "await Client.connect('https://example.com/mcp', { onElicitation: () => 'yes' })",
    "Type '() => string' is not assignable to type '(params: ElicitRequestParams, ctx: ClientRequestContext)",
  ],
  [
    'a question without a schema',
    "server.tool('a', async (_args, ctx) => (await ctx.elicit('Sure?')).action)",
    'Expected 2 arguments, but got 1.',
  ],
]

let lines: string[] = []

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL('mistakes.ts', folder), HEAD + MISTAKES.map(([, code]) => `${code}\n`).join(''))
  const compilerOptions = { noEmit: true, rootDir: '../..' }
  const config = { extends: '../../tsconfig.test.json', include: ['./mistakes.ts'], compilerOptions }
  writeFileSync(new URL('tsconfig.json', folder), JSON.stringify(config))
  const compiler = fileURLToPath(new URL('node_modules/.bin/tsc', root))
  try {
    execFileSync(compiler, ['-p', fileURLToPath(folder), '--pretty', 'false'], { encoding: 'utf8' })
  } catch (error) {
    lines = (error as { stdout: string }).stdout.split('\n')
  }
})

describe('the first line of the message for', () => {
  it.each(MISTAKES.map((mistake, index) => [...mistake, index] as const))('%s', (_name, _code, message, index) => {
    const line = HEAD.split('\n').length + index
    const [first = ''] = lines.filter((text) => text.includes(`mistakes.ts(${line},`))
    expect(first).toContain(message)
  })
})
