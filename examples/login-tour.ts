// `npm start -- --auth`: a full login on this machine: an authorization server, a protected server, and a client that
// discovers the authorization server.
import { Client, MCPServer } from 'mcpwire'
import { jwtVerifier, oauth, requireBearer } from 'mcpwire/auth'
import { streamableHttp } from 'mcpwire/client'
import { startAuthorizationServer } from '../test/support/authorization-server.ts'
import { freePort } from '../test/support/free-port.ts'

const port = await freePort()
const resource = `http://127.0.0.1:${port}/mcp`
const scopes = ['notes:read', 'notes:write']
await using authorization = await startAuthorizationServer({ resources: { [resource]: { scopes } }, user: 'ada' })
const { issuer } = authorization

const notes: string[] = []
const server = new MCPServer('notes', { version: '1.0.0' })
server.tool('read', { scopes: ['notes:read'] }, () => notes.join(', ') || 'Nothing yet.')
server.tool('write', { scopes: ['notes:write'] }, (_args, { auth }) => {
  notes.push(`a note by ${auth?.subject}`)
  return 'Written down.'
})
const protect = { resource, issuer, verifier: jwtVerifier({ issuer }), scopes: ['notes:read'] }
const serving = await server.run({ transport: 'http', port, auth: (handler) => requireBearer(handler, protect) })

console.log(`\nauthorization server  ${issuer}`)
console.log(`protected server      ${serving.url}`)

const refused = await Client.connect(serving.url).catch((error: unknown) => error as Error)
console.log(`\nwithout a token       ${'message' in refused ? refused.message : 'was accepted'}`)

// In your own program, leave `redirect` out: the default opens the browser.
const auth = oauth({
  clientName: 'Login tour',
  redirect: async (page) => {
    console.log(`\nthe user logs in      asked for ${page.searchParams.get('scope')}`)
    await fetch(await authorization.login(page))
  },
})
for (const mode of ['legacy', 'auto'] as const) {
  await using client = await Client.connect(streamableHttp(serving.url, { auth }), { mode })
  console.log(`\nprotocol revision ${client.protocolVersion}`)
  console.log(`  read      ${JSON.stringify((await client.callTool('read')).content)}`)
  // Needs one more scope: the server responds 403, and the client asks the user for consent.
  console.log(`  write     ${JSON.stringify((await client.callTool('write')).content)}`)
  console.log(`  read      ${JSON.stringify((await client.callTool('read')).content)}`)
}
await serving.close()
