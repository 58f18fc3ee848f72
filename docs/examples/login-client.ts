import { Client } from 'mcpwire'
import { oauth } from 'mcpwire/auth'
import { streamableHttp } from 'mcpwire/client'

const url = process.env['RESOURCE'] ?? 'https://notes.example.com/mcp'
await using client = await Client.connect(streamableHttp(url, { auth: oauth({ clientName: 'My agent' }) }))
console.log((await client.callTool('whoami')).content)
