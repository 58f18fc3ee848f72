import { Client } from 'mcpwire'
import { enterpriseManaged } from 'mcpwire/auth'

const { env } = process
const auth = enterpriseManaged({
  // This client at the authorization server of the MCP server.
  issuer: env['ISSUER'] ?? 'https://auth.notes.example.com',
  clientId: env['CLIENT_ID'] ?? 'agent',
  clientSecret: env['CLIENT_SECRET'] ?? '',
  // This client at the identity provider of the company.
  idp: {
    tokenEndpoint: env['IDP_TOKENS'] ?? 'https://id.example.com/token',
    clientId: env['IDP_CLIENT_ID'] ?? 'agent',
    // From the login of the user at your application.
    idToken: () => env['ID_TOKEN'] ?? '',
  },
})
const url = env['RESOURCE'] ?? 'https://notes.example.com/mcp'
const client = await Client.connect(url, { auth })
console.log((await client.callTool('whoami')).content)
await client.close()
