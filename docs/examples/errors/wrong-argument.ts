import { MCPServer } from 'mcpwire'
import { connect } from 'mcpwire/testing'

const server = new MCPServer('demo')
server.tool('add', () => 3)
await using client = await connect(server)
// @ts-expect-error: the compiler says so too.
await client.callTool({ name: 'add', arguments: {} })
