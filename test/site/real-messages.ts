// Messages as people meet them: each is what a failing program or command really said, with the page that the error itself names.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, MCPServer } from 'mcpwire'
import { serveHttp } from 'mcpwire/node'
import { createHandler, toFetch } from 'mcpwire/server'
import { connect } from 'mcpwire/testing'
import { z } from 'zod'
import { mcpwire } from '../support/command-line.ts'

export interface RealMessage {
  /** What was done. */
  readonly run: string
  readonly message: string
  readonly slug: string
}

const slugOf = (help: unknown) => /([\w-]+)\.md$/.exec(String(help))?.[1] ?? `no page: ${String(help)}`

/** The error that a program gets. */
async function thrownBy(run: string, program: () => unknown): Promise<RealMessage> {
  try {
    await program()
  } catch (error) {
    const { message, help } = error as { message: string; help?: string }
    return { run, message, slug: slugOf(help) }
  }
  throw new Error(`Nothing was thrown: ${run}`)
}

/** The error that a command prints. */
async function printedBy([verb = '', ...rest]: string[], cwd: string): Promise<RealMessage> {
  const { stderr } = await mcpwire([verb, '--json', ...rest], { cwd, env: { HOME: cwd } })
  const line = stderr.split('\n').find((text) => text.startsWith('{"error"')) ?? ''
  if (line === '') throw new Error(`mcpwire ${verb} ${rest.join(' ')} printed no error: ${stderr}`)
  const { error } = JSON.parse(line) as { error: { message: string; slug: string } }
  return { run: `mcpwire ${verb} ${rest.join(' ')}`, message: error.message.split('\n')[0] as string, slug: error.slug }
}

/** A web server that is no MCP server. */
async function answering(handler: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const PROGRAMS = {
  'server.mjs': `import { MCPServer } from 'mcpwire'
const server = new MCPServer('demo')
const number = { type: 'number' }
server.tool('add', { input: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] } }, ({ a, b }) => a + b)
server.tool('wait', () => new Promise(() => {}))
server.resource('demo://config', () => 'x')
server.prompt('greet', () => 'Hello')
await server.run()
`,
  'exits.mjs': `console.error('no license found')\nprocess.exit(7)\n`,
  'talks.mjs': `console.log('Server starting on stdio')\nsetInterval(() => {}, 1000)\n`,
  'silent.mjs': `process.stdin.resume()\n`,
  'broken.mjs': `const a = 1\nconst = 2\n`,
  'other.mjs': `export const answer = 42\n`,
}

async function ofCommands(folder: string): Promise<RealMessage[]> {
  await using missing = await answering((_request, response) => void response.writeHead(404).end('Not Found'))
  await using page = await answering(
    (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  )
  await using busy = await answering((_request, response) => void response.writeHead(503).end('starting'))
  await using locked = await answering((_request, response) => void response.writeHead(401).end('{}'))
  const { port } = new URL(busy.url)
  const commands = [
    ['call', 'server.mjs', 'ad', 'a=1'],
    ['call', 'server.mjs', 'add', 'a=1'],
    ['call', 'server.mjs', 'add', 'a=x', 'b=2'],
    ['call', 'server.mjs', 'wait', '--timeout', '1'],
    ['read', 'server.mjs', 'demo://missing'],
    ['prompt', 'server.mjs', 'great'],
    ['list', 'missing.ts'],
    ['list', 'broken.mjs'],
    ['list', 'other.mjs'],
    ['list', '--', 'node', 'exits.mjs'],
    ['list', '--', 'node', 'talks.mjs'],
    ['list', '--timeout', '2', '--', 'node', 'silent.mjs'],
    ['list', '--', 'no-such-program'],
    ['list', 'http://127.0.0.1:1/mcp'],
    ['list', missing.url],
    ['list', page.url],
    ['list', busy.url],
    ['list', locked.url],
    ['list', busy.url.replace('http:', 'https:')],
    ['run', 'server.mjs', '--http', '--port', port],
    ['run', 'server.mjs', '--http', '--port', 'abc'],
    ['install', 'server.mjs', '--to', 'claud'],
  ]
  const messages: RealMessage[] = []
  // One after the other: a machine with few cores would let some of them time out.
  for (const args of commands) messages.push(await printedBy(args, folder))
  return messages
}

const number = z.object({ n: z.number() })

async function ofPrograms(folder: string): Promise<RealMessage[]> {
  const server = new MCPServer('demo')
  server.tool('double', { input: number }, ({ n }) => n * 2)
  server.tool('big', () => 10n)
  server.tool('wrong', { output: z.object({ n: z.number() }) }, () => ({ n: 'x' }) as never)
  server.tool('ask', async (_args, ctx) => (await ctx.elicit('Sure?', z.object({ sure: z.boolean() }))).action)
  server.tool('end', () => process.exit(3))
  const client = await connect(server, { raiseExceptions: false })
  const closed = await connect(server)
  await closed.close()
  const child = await Client.connect({ command: process.execPath, args: [join(folder, 'server.mjs')] })
  const lost = thrownBy('the process ends in the middle of a call', () => child.callTool('wait'))
  await using http = await serveHttp(server, { port: 0 })
  const messages = [
    await thrownBy('a tool with a map of schemas', () =>
      server.tool('a', { input: { n: z.number() } as never }, () => 1),
    ),
    await thrownBy('a tool with a name twice', () => server.tool('double', () => 1)),
    await thrownBy('a tool with a space in its name', () => server.tool('my tool', () => 1)),
    await thrownBy('a tool without a function', () => server.tool('b', { input: number } as never)),
    await thrownBy('an option with a typo', () => server.tool('c', { inputs: number } as never, () => 1)),
    await thrownBy('a server without a name', () => new MCPServer(undefined as never)),
    await thrownBy('a transport with a typo', () => new MCPServer('demo').run({ transport: 'htp' } as never)),
    await thrownBy('a client without a target', () => Client.connect(undefined as never)),
    await thrownBy('a target without a scheme', () => Client.connect('localhost:3000/mcp')),
    await thrownBy('a target with ws', () => Client.connect('ws://localhost:3000/mcp')),
    await thrownBy('a call after close', () => closed.callTool('double', { n: 1 })),
    await thrownBy('a resource that is not there', () => client.readResource('demo://nothing')),
    await thrownBy('a resource that is no URI', () => server.resource('no uri', () => 'x')),
    await thrownBy('a method of a server that has none', () => client.getPrompt('greet')),
    await thrownBy('a call on a server over HTTP that has closed', async () => {
      const remote = await Client.connect(http.url)
      await http.close()
      await remote.callTool('double', { n: 1 })
    }),
  ]
  await child.close()
  messages.push(await lost)
  await client.close()
  return messages
}

/** Refusals of a server, as other clients and browsers see them. */
async function ofResponses(): Promise<RealMessage[]> {
  const fetch = toFetch(createHandler(new MCPServer('demo'), { allowedHosts: ['localhost'] }))
  const send = async (slug: string, headers: Record<string, string>) => {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    const { error } = (await (await fetch(request)).json()) as { error: { message: string } }
    return { run: `a request with ${JSON.stringify(headers)}`, message: error.message, slug }
  }
  return [
    await send('host-not-allowed', { host: 'calculator.example' }),
    await send('origin-not-allowed', { origin: 'https://page.example' }),
    await send('session-unknown', { 'mcp-session-id': 'of-yesterday' }),
  ]
}

/** Runs all of them. It needs the built command line. */
export async function captureMessages(): Promise<RealMessage[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-messages-'))
  try {
    const home = pathToFileURL(join(process.cwd(), 'dist/lib/index.js')).href
    for (const [name, text] of Object.entries(PROGRAMS))
      writeFileSync(join(folder, name), text.replace(`'mcpwire'`, JSON.stringify(home)))
    return [...(await ofCommands(folder)), ...(await ofPrograms(folder)), ...(await ofResponses())]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
