import { MCPServer } from 'mcpwire'
import { connect } from 'mcpwire/testing'
import { z } from 'zod'

const server = new MCPServer('demo')
// @ts-expect-error: the compiler says so too.
server.tool('count', { output: z.object({ count: z.number() }) }, () => ({ count: 'two' }))
await using client = await connect(server)
await client.callTool('count')
