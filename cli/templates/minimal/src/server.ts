import { MCPServer } from 'mcpwire'
import { z } from 'zod'

export const server = new MCPServer('my-server', { version: '0.1.0' })

const numbers = z.object({ a: z.number(), b: z.number() })
server.tool('add', { description: 'Add two numbers', input: numbers }, ({ a, b }) => a + b)

server.resource('greeting://{name}', ({ name }) => `Hello, ${name}!`)

const code = z.object({ code: z.string() })
server.prompt('review', { description: 'Review code', input: code }, (args) => `Review this code:\n\n${args.code}`)
