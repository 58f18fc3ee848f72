import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('demo')
// @ts-expect-error: the compiler says so too.
server.tool('add', { input: { a: z.number(), b: z.number() } }, ({ a, b }) => a + b)
