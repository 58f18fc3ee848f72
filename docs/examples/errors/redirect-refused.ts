import { createServer } from 'node:http'
import { Client } from 'mcpwire'

const http = createServer((_request, response) => {
  response.writeHead(307, { location: 'https://elsewhere.example/mcp' }).end()
}).listen(0)
const { port } = http.address() as { port: number }
try {
  await Client.connect(`http://127.0.0.1:${port}/mcp`)
} finally {
  http.close()
}
