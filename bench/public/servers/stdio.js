// Servers over stdio. Those of the legacy era are driven by a handshake first.
import { PEERS, peer } from '../peers.js'
import { addTools, answerByHand, info, OFFICIAL_TOOLS, sumInput } from '../schemas.js'

/** Node alone: lines, and what they say. */
function byHand() {
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk) => {
    rest += chunk
    if (!chunk.includes('\n')) return
    const lines = rest.split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const answer = answerByHand(JSON.parse(line))
      if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`)
    }
  })
}

async function ours() {
  const { MCPServer } = await import('mcpwire')
  void addTools(new MCPServer('bench')).run()
}

async function officialV1() {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const server = new McpServer(info)
  for (const [name, [definition, run]] of Object.entries(OFFICIAL_TOOLS)) server.registerTool(name, definition, run)
  await server.connect(new StdioServerTransport())
}

async function officialV2() {
  const { McpServer } = await import('@modelcontextprotocol/server')
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  serveStdio(() => {
    const server = new McpServer(info)
    for (const [name, [definition, run]] of Object.entries(OFFICIAL_TOOLS)) server.registerTool(name, definition, run)
    return server
  })
}

async function fastmcp() {
  const { FastMCP } = await peer('fastmcp')
  const server = new FastMCP(info)
  const execute = async ({ a, b }) => JSON.stringify({ sum: a + b })
  server.addTool({ name: 'add', description: 'Adds two numbers', parameters: sumInput, execute })
  await server.start({ transportType: 'stdio' })
}

export const contenders = {
  floor: byHand,
  'floor, legacy': byHand,
  mcpwire: ours,
  'mcpwire, legacy': ours,
  'official v1, legacy': officialV1,
  ...('fastmcp' in PEERS && { 'fastmcp, legacy': fastmcp }),
  'official v2': officialV2,
  'official v2, legacy': officialV2,
}
