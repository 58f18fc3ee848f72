// An HTTP server that requires a token: every caller may read, and writing needs one more scope.
// RESOURCE is its public URL, ISSUER the authorization server that issues tokens for it.
import { MCPServer } from 'mcpwire'
import { jwtVerifier, requireBearer } from 'mcpwire/auth'
import { z } from 'zod'

const { PORT = '3000', RESOURCE = `http://127.0.0.1:${PORT}/mcp`, ISSUER = 'http://127.0.0.1:4000' } = process.env

const notes: string[] = []
const server = new MCPServer('protected-notes', { version: '1.0.0' })

server.tool('read', { description: 'All notes.' }, () => notes.join('\n') || 'Nothing yet.')

server.tool(
  'write',
  { description: 'Writes a note down.', input: z.object({ text: z.string() }), scopes: ['notes:write'] },
  ({ text }, { auth }) => {
    notes.push(`${auth?.subject}: ${text}`)
    return 'Written down.'
  },
)

const protect = {
  resource: RESOURCE,
  issuer: ISSUER,
  verifier: jwtVerifier({ issuer: ISSUER }),
  scopes: ['notes:read'],
}
const { url } = await server.run({
  transport: 'http',
  port: Number(PORT),
  auth: (handler) => requireBearer(handler, protect),
})
console.log(`Listening at ${url} as ${RESOURCE}`)
