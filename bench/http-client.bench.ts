// The CPU time of a tools/call over HTTP in the client, compared with a bare keep-alive client that sends the same bytes.
import { platform } from '#platform'
import { Client } from '../src/client/client.ts'
import { createNodePoster } from '../src/node/http/poster.ts'
import { inParallel, startBareServer } from './http/bare.ts'
import { goal, measure, report } from './measure.ts'

// Benchmarks are bundled with the web platform.
platform.createPoster = async () => createNodePoster()

const capabilities = { tools: {} }
const serverInfo = { name: 'bench', version: '0.0.0' }
const meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }

// Each response belongs to the method of the request.
const results = {
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: meta,
  },
  initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo },
  modern: { resultType: 'complete', content: [{ type: 'text', text: '3' }], _meta: meta },
  legacy: { content: [{ type: 'text', text: '3' }] },
}
const script = `
  const results = ${JSON.stringify(results)}
  const server = require('http').createServer((q, s) => {
    let text = ''
    q.setEncoding('utf8')
    q.on('data', (chunk) => { text += chunk })
    q.on('end', () => {
      if (q.method !== 'POST') return s.writeHead(405).end()
      const { id, method } = JSON.parse(text)
      if (id === undefined) return s.writeHead(202).end()
      const era = q.headers['mcp-method'] === undefined ? 'legacy' : 'modern'
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? results[era] })
      const session = method === 'initialize' ? { 'mcp-session-id': 'bench' } : {}
      s.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length, ...session })
      s.end(answer)
    })
  })`

const server = await startBareServer(script)
const { url } = server
let lastId = 0

function bareCall(params: object, headers: Record<string, string>): Promise<unknown> {
  lastId += 1
  return server.post(JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params }), headers)
}

const common = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const bareModern = () =>
  bareCall(
    {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'mcpwire', version: '0.2.0' },
        progressToken: lastId,
      },
      name: 'add',
      arguments: { a: 1, b: 2 },
    },
    { ...common, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' },
  )
const bareHandshake = () =>
  bareCall(
    { _meta: { progressToken: lastId }, name: 'add', arguments: { a: 1, b: 2 } },
    { ...common, 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': 'bench' },
  )

const clients = {
  modern: await Client.connect(url),
  legacy: await Client.connect(url, { mode: 'legacy' }),
}

for (const count of [1, 64]) {
  for (const [era, bare] of [['modern', bareModern] as const, ['legacy', bareHandshake] as const]) {
    const client = clients[era]
    const measured = await measure([
      inParallel('bare keep-alive client', count, bare),
      inParallel('mcpwire client', count, () => client.callTool('add', { a: 1, b: 2 })),
    ])
    report(`tools/call, ${era} era, ${count} at a time`, measured)
    const [base, ours] = measured
    if (count === 64) goal('client / bare', (ours?.nanoseconds ?? 0) / (base?.nanoseconds ?? 1), 1.3)
  }
}

await Promise.all(Object.values(clients).map((client) => client.close()))
server.stop()
