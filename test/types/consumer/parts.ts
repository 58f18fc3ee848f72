// A server whose parts are in several modules: one with typed tools, or with a lifespan, is an `MCPServer` for its helpers.
import { Client, MCPServer, tool } from 'mcpwire'
import { z } from 'zod'

const input = z.object({ city: z.string() })
const output = z.object({ degrees: z.number() })
const weather = tool('weather', { input, output }, ({ city }) => ({ degrees: city.length }))
const hello = tool('hello', () => 'hello')

const one = new MCPServer('one', { tools: [weather] })
const two = new MCPServer('two', { tools: [weather, hello], lifespan: () => ({ answers: 42 }) })
const plain = new MCPServer('plain')

function register(server: MCPServer): MCPServer {
  server.tool('admin', () => 'ok')
  return server
}
export const registered = [register(one), register(two), register(plain)]
export const all: MCPServer[] = [one, two, plain]
export const named: Record<string, MCPServer> = { one, two }
export const cast = one as MCPServer
one satisfies MCPServer

// The tools are lost with the type alone: a client of the server itself knows them.
const client = await Client.connect(one)
export const degrees: number | undefined = (await client.callTool('weather', { city: 'Bern' })).structuredContent
  ?.degrees
// @ts-expect-error: the city is missing
await client.callTool('weather', {})
// A client of `MCPServer` takes any arguments.
await (await Client.connect(cast)).callTool('weather', { town: 'Bern' })

// A client of a typed server is a `Client` too.
const ask = (other: Client) => other.callTool('hello')
export const answers = [await ask(client), await ask(await Client.connect(two))]

// Of other tools than a place wants it is not one.
// @ts-expect-error: there is no tool named hello
export const wrong: typeof two = one
