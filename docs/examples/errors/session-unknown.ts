import { MCPServer } from 'mcpwire'
import { createHandler, toFetch } from 'mcpwire/server'

const fetch = toFetch(createHandler(new MCPServer('demo')))
const response = await fetch(
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      host: 'localhost',
      'mcp-session-id': 'of-yesterday',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  }),
)
console.log(await response.text())
