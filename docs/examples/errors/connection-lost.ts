import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('wait', () => new Promise<string>(() => {}))
const client = await Client.connect(server)
const call = client.callTool('wait')
await Promise.all([call, client.close()])
