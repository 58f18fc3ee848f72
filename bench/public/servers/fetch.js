// Handlers of `fetch` over @hono/node-server, with the options that nobody sets.
import { serve } from '@hono/node-server'
import * as v2 from '@modelcontextprotocol/server'
import { createHandler, MCPServer, toFetch } from 'mcpwire/server'
import { z } from 'zod'
import { PEERS, peer } from '../peers.js'

const input = z.object({ a: z.number(), b: z.number(), text: z.string() })
const output = z.object({ sum: z.number() })
const info = { name: 'bench', version: '1.0.0' }
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

const listen = (fetch) =>
  new Promise((resolve) => {
    serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
  })

function ours() {
  const server = new MCPServer('bench')
  server.tool('add', { description: 'Adds two numbers', input, output }, ({ a, b }) => ({ sum: a + b }))
  return toFetch(createHandler(server))
}

const add = ({ a, b }) => {
  const structuredContent = { sum: a + b }
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** The same bytes and checks by hand. */
function byHand() {
  const _meta = { 'io.modelcontextprotocol/serverInfo': info }
  return async (request) => {
    const { id, params } = await request.json()
    const { a, b } = input.parse(params.arguments)
    const structuredContent = output.parse({ sum: a + b })
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }]
    const result = { resultType: 'complete', content, structuredContent, _meta }
    return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }), { status: 200, headers: HEADERS })
  }
}

function officialV2() {
  const handler = v2.createMcpHandler(() => {
    const server = new v2.McpServer(info)
    server.registerTool('add', { description: 'Adds two numbers', inputSchema: input, outputSchema: output }, add)
    return server
  })
  return (request) => handler.fetch(request)
}

async function mcpLite() {
  const { McpServer, StreamableHttpTransport } = await peer('mcp-lite')
  const server = new McpServer({ ...info, schemaAdapter: (schema) => z.toJSONSchema(schema) })
  server.tool('add', { description: 'Adds two numbers', inputSchema: input, outputSchema: output, handler: add })
  return new StreamableHttpTransport().bind(server)
}

export const contenders = {
  floor: async () => listen(byHand()),
  mcpwire: async () => listen(ours()),
  'official v2': async () => listen(officialV2()),
  ...('mcp-lite' in PEERS && { 'mcp-lite': async () => listen(await mcpLite()) }),
}
