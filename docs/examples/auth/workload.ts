import { readFile } from 'node:fs/promises'
import { Client } from 'mcpwire'
import { workloadIdentity } from 'mcpwire/auth'

const { env } = process
// Kubernetes keeps this file up to date.
const file = env['TOKEN_FILE'] ?? '/var/run/secrets/tokens/mcp'
const auth = workloadIdentity({
  issuer: env['ISSUER'] ?? 'https://auth.notes.example.com',
  assertion: () => readFile(file, 'utf8'),
})
const url = env['RESOURCE'] ?? 'https://notes.example.com/mcp'
const client = await Client.connect(url, { auth })
console.log((await client.callTool('whoami')).content)
await client.close()
