import { Client, MCPServer } from 'mcpwire'
import { requireBearer, verifyStaticTokens } from 'mcpwire/auth'

const token = process.env['NOTES_TOKEN'] ?? 'only-for-this-example'
const verifier = verifyStaticTokens({
  [token]: { clientId: 'backup', scopes: ['notes:read'] },
})

const server = new MCPServer('notes')
server.tool('whoami', (_args, { auth }) => `You are ${auth?.clientId}.`)
const serving = await server.run({
  transport: 'http',
  port: Number(process.env['PORT'] ?? 3000),
  auth: (handler) =>
    requireBearer(handler, {
      resource: 'https://notes.example.com/mcp',
      issuer: false,
      verifier,
    }),
})

const client = await Client.connect(serving.url, {
  headers: { authorization: `Bearer ${token}` },
})
console.log((await client.callTool('whoami')).content)
await client.close()
await serving.close()
