import { createServer } from 'node:http'
import { Client } from 'mcpwire'
import { clientCredentials } from 'mcpwire/auth'

const http = createServer((_request, response) => void response.writeHead(401).end()).listen(0)
const { port } = http.address() as { port: number }
const auth = clientCredentials({ issuer: 'http://127.0.0.1:1', clientId: 'demo', clientSecret: 'secret' })
try {
  await Client.connect(`http://127.0.0.1:${port}/mcp`, { auth })
} finally {
  http.close()
}
