import { Client } from 'mcpwire'

await using client = await Client.connect('http://localhost:3000/mcp')
const result = await client.callTool('add', { a: 1, b: 2 })
console.log(result.structuredContent)
