// `npm start -- --auth`: a full login with nothing outside this machine: an authorization server, a protected server, and
// a client that finds one through the other.
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
console.log(`\nwithout a token       ${'message' in refused ? refused.message : 'was let in'}`)

// In a program of your own, leave `redirect` out: it opens the browser.
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
  // Needs one scope more: the server says so, and the client asks the user for it.
  console.log(`  write     ${JSON.stringify((await client.callTool('write')).content)}`)
  console.log(`  read      ${JSON.stringify((await client.callTool('read')).content)}`)
}
await serving.close()
