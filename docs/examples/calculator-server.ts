import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('calculator', { version: '1.0.0' })
server.tool(
  'add',
  { input: z.object({ a: z.number(), b: z.number() }) },
  ({ a, b }) => a + b,
)
server.resource('greeting://{name}', ({ name }) => `Hello, ${name}!`)
await server.run()
