import { createServer } from 'node:http'
import { Client } from 'mcpwire'

const http = createServer((_request, response) => void response.writeHead(404).end('No such page')).listen(0)
const { port } = http.address() as { port: number }
try {
  await Client.connect(`http://127.0.0.1:${port}/`)
} finally {
  http.close()
}
