import { MCPServer } from 'mcpwire'
import { connect } from 'mcpwire/testing'

const server = new MCPServer('demo')
server.tool('big', () => ({ value: 10n }))
await using client = await connect(server)
await client.callTool('big')
