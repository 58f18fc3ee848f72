import { MCPServer } from 'mcpwire'
import { createHandler, toFetch } from 'mcpwire/server'

const fetch = toFetch(createHandler(new MCPServer('demo')))
const response = await fetch(
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      host: 'localhost',
      origin: 'https://attacker.example',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{}',
  }),
)
console.log(await response.text())
