import { Client } from 'mcpwire'
import { oauth } from 'mcpwire/auth'

const url = process.env['RESOURCE'] ?? 'https://notes.example.com/mcp'
await using client = await Client.connect(url, {
  auth: oauth({ clientName: 'My agent' }),
})
console.log((await client.callTool('whoami')).content)
