// The baseline for lists: parses the request, and writes prepared bytes.
import { describedTools } from './described-tools.js'

const stamp = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '0.0.0' } }
const tools = describedTools.map(({ input, ...tool }) => ({ ...tool, inputSchema: input }))
const listed = { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private', _meta: stamp }
const bytes = Buffer.from(`${JSON.stringify(listed)}}\n`)

function answer({ id, method }) {
  const { stdout } = process
  if (method === 'tools/list') {
    stdout.cork()
    stdout.write(`{"jsonrpc":"2.0","id":${id},"result":`)
    stdout.write(bytes)
    stdout.uncork()
    return
  }
  const { user, system } = process.cpuUsage()
  const result = { resultType: 'complete', content: [{ type: 'text', text: String(user + system) }], _meta: stamp }
  stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  rest += chunk
  if (!chunk.includes('\n')) return
  const lines = rest.split('\n')
  rest = lines.pop()
  for (const line of lines) answer(JSON.parse(line))
})
