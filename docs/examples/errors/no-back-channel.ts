import { MCPServer } from 'mcpwire'
import { connect } from 'mcpwire/testing'

const server = new MCPServer('demo')
server.tool('roots', async (_args, { session }) => (await session.listRoots()).roots.length)
await using client = await connect(server, { mode: 'modern', onListRoots: () => ({ roots: [] }) })
await client.callTool('roots')
