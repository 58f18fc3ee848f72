import { Client, MCPServer } from 'mcpwire'
import { requireBearer } from 'mcpwire/auth'
import { serveHttp } from 'mcpwire/node'

const server = new MCPServer('demo')
const issuer = 'https://id.example.com'
const resource = 'http://localhost/mcp'
const verifier = () => undefined as never
await using serving = await serveHttp(server, {
  port: 0,
  auth: (handler) => requireBearer(handler, { resource, issuer, verifier }),
})
await Client.connect(serving.url)
