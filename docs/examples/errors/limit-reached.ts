import { MCPServer } from 'mcpwire'
import { fileResource } from 'mcpwire/node'
import { connect } from 'mcpwire/testing'

const { uri, read } = fileResource(process.execPath, { maxBytes: 1_000 })
const server = new MCPServer('demo')
server.resource(uri, read)
await using client = await connect(server)
await client.readResource(uri)
