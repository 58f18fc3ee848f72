import { Client } from 'mcpwire'

const client = await Client.connect('http://localhost:3000/mcp')
console.log((await client.callTool('add', { a: 1, b: 2 })).structuredContent)
await client.close()
