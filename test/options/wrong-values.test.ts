// Values that cannot work are refused where they are given, in words about the value and not about our insides.
import { Client, image, MCPServer, tool } from 'mcpwire'
import { ClientSessionGroup } from 'mcpwire/client'
import { createHandler, serveHttp } from 'mcpwire/node'
import { Server } from 'mcpwire/server'
import { connect } from 'mcpwire/testing'
import { describe, expect, it } from 'vitest'

const run = () => 'done'
const newServer = () => new MCPServer('calculator')
/** As a program without types calls it. */
const untyped = <T>(value: unknown): T => value as T

type Attempt = () => unknown

const WRONG: Readonly<Record<string, readonly [Attempt, string]>> = {
  "new MCPServer('')": [
    () => new MCPServer(''),
    "The name of a server cannot be empty: write new MCPServer('calculator')",
  ],
  "new Server('')": [() => new Server(''), "The name of a server cannot be empty: write new Server('calculator')"],
  'server.tool()': [
    () => untyped<{ tool(): void }>(newServer()).tool(),
    "The name of a tool must be a string, not undefined. Write tool('add', options, run).",
  ],
  "server.tool({ name: 'a' }, run)": [
    () => newServer().tool(untyped({ name: 'a' }), run),
    "The name of a tool must be a string, not an object. Write tool('add', options, run).",
  ],
  'server.prompt()': [
    () => untyped<{ prompt(): void }>(newServer()).prompt(),
    "The name of a prompt must be a string, not undefined. Write prompt('greet', options, run).",
  ],
  'server.resource()': [
    () => untyped<{ resource(): void }>(newServer()).resource(),
    "A resource must be an object, not undefined. Write resource('notes://today', options, read).",
  ],
  "tool('x')": [() => untyped<(name: string) => void>(tool)('x'), 'The handler of tool "x" must be a function'],
  '{ tools: {} }': [
    () => new MCPServer('x', { tools: untyped<[]>({}) }),
    'The option tools of new MCPServer() must be an array, not an object.',
  ],
  '{ tools: [() => 1] }': [
    () => new MCPServer('x', { tools: [untyped(() => 1)] }),
    "Each of the tools must be an object, not a function. Write tool('add', options, run).",
  ],
  '{ prompts: [run] }': [
    () => new MCPServer('x', { prompts: [untyped(run)] }),
    "Each of the prompts must be an object, not a function. Write prompt('greet', options, run).",
  ],
  '{ version: 1 }': [
    () => new MCPServer('x', { version: untyped(1) }),
    'The option version of new MCPServer() must be a string, not a number.',
  ],
  '{ lifespan: { db: 1 } }': [
    () => new MCPServer('x', { lifespan: untyped<() => void>({ db: 1 }) }),
    'The option lifespan of new MCPServer() must be a function, not an object.',
  ],
  'Server { version: 1 }': [
    () => new Server('x', { version: untyped(1) }),
    'The option version of new Server() must be a string, not a number.',
  ],
  '{ middleware: [1] }': [
    () => new MCPServer('x', { middleware: [untyped(1)] }),
    'Each middleware of a server must be a function, not a number.',
  ],
  'server.use()': [
    () => untyped<{ use(): void }>(newServer()).use(),
    'The middleware for use() must be a function, not undefined.',
  ],
  'server.connect()': [
    () => untyped<{ connect(): unknown }>(newServer()).connect(),
    'connect() takes a channel or a transport, not undefined. To serve over stdio or HTTP, use run().',
  ],
  'server.connect({})': [
    () => newServer().connect(untyped({})),
    'connect() takes a channel or a transport, not an object that is neither. To serve over stdio or HTTP, use run().',
  ],
  'createHandler()': [
    () => untyped<() => void>(createHandler)(),
    "This serves an MCPServer or a Server, not undefined. Make one with new MCPServer('calculator').",
  ],
  'createHandler({})': [
    () => createHandler(untyped({})),
    "This serves an MCPServer or a Server, not an object that is none. Make one with new MCPServer('calculator').",
  ],
  'serveHttp({})': [
    () => serveHttp(untyped({}), { port: 0 }),
    "This serves an MCPServer or a Server, not an object that is none. Make one with new MCPServer('calculator').",
  ],
  "{ allowedHosts: 'x' }": [
    () => createHandler(newServer(), { allowedHosts: untyped('x') }),
    'The option allowedHosts of createHandler() must be an array, not a string.',
  ],
  "{ maxBodyBytes: '5' }": [
    () => createHandler(newServer(), { maxBodyBytes: untyped('5') }),
    'The option maxBodyBytes of createHandler() must be a number, not a string.',
  ],
  'image()': [
    () => untyped<() => void>(image)(),
    'The data of an image or audio block must be bytes or Base64 text, not undefined. To send a file, write image(await readFile(path)).',
  ],
  'image({ path })': [
    () => image(untyped({ path: 'x.png' })),
    'The data of an image or audio block must be bytes or Base64 text, not an object. To send a file, write image(await readFile(path)).',
  ],
  'connect(server, { wire: true })': [
    () => connect(newServer(), { wire: untyped(true) }),
    'The option wire of connect() must be a recording, not a boolean. Write wire: recordWire().',
  ],
  "{ onLog: 'x' }": [
    () => new Client(newServer(), { onLog: untyped('x') }),
    'The option onLog of new Client() must be a function, not a string.',
  ],
  '{ onElicitation: {} }': [
    () => new Client(newServer(), { onElicitation: untyped({ action: 'accept' }) }),
    'The option onElicitation of new Client() must be a function, not an object.',
  ],
  "{ componentName: 'x' }": [
    () => new ClientSessionGroup({ componentName: untyped('x') }),
    'The option componentName of new ClientSessionGroup() must be a function, not a string.',
  ],
}

describe('a value that cannot work', () => {
  for (const [title, [attempt, message]] of Object.entries(WRONG)) {
    it(`is refused in plain words: ${title}`, async () => {
      const failure = await failureOf(attempt)
      expect(failure).toBeInstanceOf(/cannot be empty/.test(message) ? RangeError : TypeError)
      expect((failure as Error).message).toBe(message)
    })
  }

  it.each([5, null, {}])('is refused as the signal of a call, which leaves nothing open: %j', async (signal) => {
    const server = newServer()
    server.tool('add', run)
    const kind = signal === null ? 'null' : typeof signal === 'number' ? 'a number' : 'an object'
    const message = `signal must be an AbortSignal, not ${kind}.`
    const options = untyped<{ signal: AbortSignal }>({ signal })
    for (const mode of ['modern', 'legacy'] as const) {
      await using client = await Client.connect(server, { mode })
      await expect(client.callTool('add', {}, options)).rejects.toThrow(new TypeError(message))
      expect((await client.callTool('add')).content).toEqual([{ type: 'text', text: 'done' }])
    }
    await expect(server.callTool('add', {}, options)).rejects.toThrow(new TypeError(message))
  })

  it('may be left undefined', () => {
    expect(
      () => new MCPServer('x', untyped<object>({ version: undefined, lifespan: undefined, tools: undefined })),
    ).not.toThrow()
    expect(() => new Client(newServer(), untyped({ onLog: undefined }))).not.toThrow()
  })
})

async function failureOf(attempt: Attempt): Promise<unknown> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    return error
  }
}
