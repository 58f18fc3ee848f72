// Servers of node:http: what each package offers for it.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { addTools, answerByHand, info, OFFICIAL_TOOLS } from '../schemas.js'

const listen = (listener) =>
  new Promise((resolve) => {
    const http = createServer(listener).listen(0, '127.0.0.1', () => resolve(http.address().port))
  })

const open = []

/** The same bytes and checks by hand. A GET opens a stream that stays open. */
function byHand(request, response) {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.flushHeaders()
    open.push(response)
    return
  }
  const pieces = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const answer = answerByHand(JSON.parse(Buffer.concat(pieces).toString('utf8')))
    if (answer === undefined) return response.writeHead(202).end()
    const body = Buffer.from(JSON.stringify(answer))
    response.writeHead(200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-length': body.length,
    })
    response.end(body)
  })
}

async function ours() {
  const { MCPServer } = await import('mcpwire')
  const { createHandler } = await import('mcpwire/server')
  const { toNodeHandler } = await import('mcpwire/node')
  return listen(toNodeHandler(createHandler(addTools(new MCPServer('bench')))))
}

function withOfficialTools(server) {
  for (const [name, [definition, run]] of Object.entries(OFFICIAL_TOOLS)) server.registerTool(name, definition, run)
  return server
}

async function officialV1() {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const sessions = new Map()
  return listen(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id'])
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      })
      await withOfficialTools(new McpServer(info)).connect(transport)
    }
    await transport.handleRequest(request, response)
  })
}

async function officialV2() {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server')
  const { toNodeHandler } = await import('@modelcontextprotocol/node')
  return listen(toNodeHandler(createMcpHandler(() => withOfficialTools(new McpServer(info)))))
}

export const contenders = {
  floor: () => listen(byHand),
  'floor, legacy': () => listen(byHand),
  mcpwire: ours,
  'mcpwire, legacy': ours,
  'official v1, legacy': officialV1,
  'official v2': officialV2,
}
