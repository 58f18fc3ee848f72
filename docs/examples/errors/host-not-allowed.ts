import { MCPServer } from 'mcpwire'
import { createHandler, toFetch } from 'mcpwire/server'

const fetch = toFetch(createHandler(new MCPServer('demo'), { allowedHosts: ['localhost'] }))
const response = await fetch(
  new Request('http://attacker.example/mcp', {
    method: 'POST',
    headers: {
      host: 'attacker.example',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{}',
  }),
)
console.log(await response.text())
