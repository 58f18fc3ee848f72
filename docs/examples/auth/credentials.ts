import { Client } from 'mcpwire'
import { clientCredentials } from 'mcpwire/auth'

const { env } = process
const auth = clientCredentials({
  issuer: env['ISSUER'] ?? 'https://auth.notes.example.com',
  clientId: env['CLIENT_ID'] ?? 'nightly-backup',
  clientSecret: env['CLIENT_SECRET'] ?? '',
  scopes: ['notes:read'],
})
const url = env['RESOURCE'] ?? 'https://notes.example.com/mcp'
const client = await Client.connect(url, { auth })
console.log((await client.callTool('whoami')).content)
await client.close()
