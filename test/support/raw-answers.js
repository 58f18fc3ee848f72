// A server whose tool answers with the very text that it was given: node raw-answers.js stdio|http legacy|modern
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const [, , transport, era] = process.argv
const serverInfo = { name: 'raw', version: '1' }
const complete = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }
const cached = { ttlMs: 0, cacheScope: 'private' }
const tools = [{ name: 'echo', inputSchema: { type: 'object' } }]

function resultOf(method, params) {
  if (method === 'initialize' && era === 'legacy')
    return JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  if (method === 'server/discover' && era === 'modern')
    return JSON.stringify({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...cached, ...complete })
  if (method === 'tools/list') return JSON.stringify(era === 'modern' ? { tools, ...cached, ...complete } : { tools })
  if (method !== 'tools/call') return undefined
  const { raw, repeat } = params.arguments
  return repeat === undefined ? raw : raw.replace('#', '1,'.repeat(repeat))
}

function answer(text) {
  const { id, method, params } = JSON.parse(text)
  if (id === undefined) return undefined
  const result = resultOf(method, params)
  if (result === undefined) return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

if (transport === 'stdio') {
  for await (const line of createInterface({ input: process.stdin })) {
    const text = answer(line)
    if (text !== undefined) process.stdout.write(`${text.replace(/[\r\n]/g, ' ')}\n`)
  }
} else {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const text = request.method === 'POST' ? answer(Buffer.concat(chunks).toString()) : undefined
      if (text === undefined) response.writeHead(request.method === 'POST' ? 202 : 405).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
  process.stdin.on('end', () => process.exit()).resume()
}
