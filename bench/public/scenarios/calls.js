// A call of one tool with a zod schema for its arguments and for its result, client and server in one process.
import { z } from 'zod'

const input = z.object({ a: z.number(), b: z.number() })
const output = z.object({ sum: z.number() })
const args = { a: 1, b: 2 }
const info = { name: 'bench', version: '1.0.0' }

async function ours(mode) {
  const { Client, MCPServer } = await import('mcpwire')
  const server = new MCPServer('bench')
  server.tool('add', { description: 'Adds two numbers', input, output }, ({ a, b }) => ({ sum: a + b }))
  const client = await Client.connect(server, { mode })
  await client.listTools()
  return () => client.callTool('add', args)
}

const definition = { description: 'Adds two numbers', inputSchema: input, outputSchema: output }
const add = ({ a, b }) => {
  const structuredContent = { sum: a + b }
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

async function official(Client, Server, Memory, options) {
  const server = new Server(info)
  server.registerTool('add', definition, add)
  const [near, far] = Memory.createLinkedPair()
  const client = new Client(info, options)
  await server.connect(far)
  await client.connect(near)
  await client.listTools()
  return () => client.callTool({ name: 'add', arguments: args })
}

async function officialV2() {
  const { Client, InMemoryTransport } = await import('@modelcontextprotocol/client')
  const { McpServer } = await import('@modelcontextprotocol/server')
  return official(Client, McpServer, InMemoryTransport, { versionNegotiation: { mode: 'legacy' } })
}

async function officialV1() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  return official(Client, McpServer, InMemoryTransport)
}

/** The same bytes and the same checks by hand: both messages as text and back, arguments and result through zod. */
function byHand(meta, stamp) {
  let id = 0
  return async () => {
    id += 1
    const params = { name: 'add', arguments: args, _meta: meta(id) }
    const request = JSON.parse(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))
    const { a, b } = input.parse(request.params.arguments)
    const structuredContent = output.parse({ sum: a + b })
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }]
    const result = { ...stamp, content, structuredContent }
    return JSON.parse(JSON.stringify({ jsonrpc: '2.0', id, result })).result
  }
}

const modernMeta = (progressToken) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'mcpwire', version: '0.3.0' },
  progressToken,
})
const modernStamp = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': info } }

export const contenders = {
  floor: () => byHand(modernMeta, modernStamp),
  'floor, legacy': () => byHand((progressToken) => ({ progressToken }), {}),
  mcpwire: () => ours('auto'),
  'mcpwire, legacy': () => ours('legacy'),
  'official v2, legacy': officialV2,
  'official v1, legacy': officialV1,
}
