// Requests as bytes.
import { FIRST_ID } from './driver.ts'

export function modernCall(text: string): Buffer {
  return modernRequest('tools/call', { name: 'add', arguments: { a: 1, b: 2, text } }, ['Mcp-Name: add'])
}

export function modernRequest(
  method: string,
  params: object,
  headers: readonly string[] = [],
  clientCapabilities: object = {},
): Buffer {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  }
  const routing = ['MCP-Protocol-Version: 2026-07-28', `Mcp-Method: ${method}`, ...headers]
  return post({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, routing)
}

/** Without a session, for a server that keeps none and knows an older revision only. */
export function olderCall(text: string): Buffer {
  const params = { name: 'add', arguments: { a: 1, b: 2, text } }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  return post(message, ['MCP-Protocol-Version: 2025-06-18'])
}

export function handshakeCall(session: string): Buffer {
  const params = { name: 'add', arguments: { a: 1, b: 2, text: 'x' } }
  const headers = ['MCP-Protocol-Version: 2025-11-25', `Mcp-Session-Id: ${session}`]
  return post({ jsonrpc: '2.0', id: FIRST_ID, method: 'tools/call', params }, headers)
}

function post(message: object, headers: readonly string[]): Buffer {
  const body = JSON.stringify(message)
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: localhost:3000',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...headers,
    'User-Agent: bench/1.0.0',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: keep-alive',
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Any request of a session. */
export function legacyRequest(session: string, message: object): Buffer {
  return post({ jsonrpc: '2.0', ...message }, ['MCP-Protocol-Version: 2025-11-25', `Mcp-Session-Id: ${session}`])
}
