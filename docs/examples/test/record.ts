import { MCPServer } from 'mcpwire'
import { connect, recordWire } from 'mcpwire/testing'

const server = new MCPServer('clock')
server.tool('now', () => '12:00')

const wire = recordWire()
const client = await connect(server, { mode: 'modern', wire })
await client.callTool('now')
await client.close()
for (const { direction, message } of wire.entries) {
  console.log(
    direction,
    'method' in message ? message.method : 'result',
  )
}
