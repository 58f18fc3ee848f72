import { Client, MCPServer } from 'mcpwire'
import { jwtVerifier, oauth, requireBearer } from 'mcpwire/auth'
import { devAuthorizationServer } from 'mcpwire/auth/dev'

const port = Number(process.env['PORT'] ?? 3000)
const resource = `http://127.0.0.1:${port}/mcp`
const scopes = ['notes:read', 'notes:write']
const authorization = await devAuthorizationServer({
  port: 0,
  scopes,
  user: 'ada',
})
const { issuer } = authorization

const server = new MCPServer('notes')
server.tool('whoami', (_args, { auth }) => `You are ${auth?.subject}.`)
server.tool('write', { scopes: ['notes:write'] }, () => 'Written down.')
const protect = {
  resource,
  issuer,
  verifier: jwtVerifier({ issuer }),
  scopes: ['notes:read'],
}
const serving = await server.run({
  transport: 'http',
  port,
  auth: (handler) => requireBearer(handler, protect),
})

// Without `redirect` the login page opens in the browser. Here `login`
// allows everything that the page shows.
const redirect = async (page: URL) => {
  console.log(`Login page: ${page.searchParams.get('scope')}`)
  await fetch(await authorization.login(page))
}
const client = await Client.connect(serving.url, {
  auth: oauth({ clientName: 'My agent', redirect }),
})
for (const tool of ['whoami', 'write'])
  console.log(tool, (await client.callTool(tool)).content)

await client.close()
await serving.close()
await authorization.close()
