import { Client, MCPServer } from 'mcpwire'

const client = new Client(new MCPServer('demo'))
await client.callTool('add')
