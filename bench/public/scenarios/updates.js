// An update of a resource that nobody watches, on a server where others are watched: each by a subscription of its own.
import { createHandler, MCPServer, toFetch } from 'mcpwire/server'

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
}

function createServer() {
  const server = new MCPServer('bench')
  server.resource('item://{id}', {}, ({ id }) => `item ${id}`)
  return server
}

const open = []

async function modern(count) {
  const server = createServer()
  const fetch = toFetch(createHandler(server))
  for (let id = 0; id < count; id++) {
    const params = { notifications: { resourceSubscriptions: [`item://${id}`] }, _meta: modernMeta }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      host: 'localhost',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    }
    const response = await fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    const reader = response.body.getReader()
    const { value } = await reader.read()
    if (!new TextDecoder().decode(value).includes('acknowledged')) throw new Error('no subscription')
    open.push(reader)
  }
  return () => server.server.announce({ type: 'resourceUpdated', uri: 'item://nobody' })
}

async function post(fetch, message, session) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    host: 'localhost',
    ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
  }
  const response = await fetch(
    new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(message) }),
  )
  await response.text()
  if (response.status >= 300) throw new Error(`status ${response.status}`)
  return response.headers.get('mcp-session-id') ?? session
}

async function legacy(count) {
  const server = createServer()
  const fetch = toFetch(createHandler(server))
  const clientInfo = { name: 'bench', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  for (let id = 0; id < count; id++) {
    const session = await post(fetch, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
    await post(fetch, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
    const uri = `item://${id}`
    await post(fetch, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }, session)
  }
  return () => server.server.announce({ type: 'resourceUpdated', uri: 'item://nobody' })
}

export const contenders = {
  '10 subscriptions': () => modern(10),
  '1,000 subscriptions': () => modern(1_000),
  '9,000 subscriptions': () => modern(9_000),
  '10 sessions': () => legacy(10),
  '1,000 sessions': () => legacy(1_000),
  '9,000 sessions': () => legacy(9_000),
}
