// Requests of 2026-07-28 as they go over HTTP: the body, and the headers that repeat it.
const VERSION = '2026-07-28'

export interface ModernRequest {
  id?: string | number
  method?: string
  params?: Record<string, unknown>
  meta?: Record<string, unknown>
}

export function modernBody({ id = 1, method = 'tools/call', params = {}, meta = {} }: ModernRequest) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  }
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } }
}

/** By lower-case name. */
export function modernHeaders({ method = 'tools/call', params = {} }: ModernRequest): Record<string, string> {
  const name = params['name'] ?? params['uri']
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
}
