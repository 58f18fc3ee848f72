import { MCPServer } from 'mcpwire'
import { jwtVerifier, requireBearer } from 'mcpwire/auth'

const issuer = process.env['ISSUER'] ?? 'https://id.example.com'
const resource =
  process.env['RESOURCE'] ?? 'https://notes.example.com/mcp'
const verifier = jwtVerifier({ issuer })
const server = new MCPServer('notes')
server.tool('whoami', (_args, { auth }) => `You are ${auth?.subject}.`)
await server.run({
  transport: 'http',
  auth: (handler) =>
    requireBearer(handler, { resource, issuer, verifier }),
})
