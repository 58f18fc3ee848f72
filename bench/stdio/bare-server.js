// The baseline: parses and writes the same messages by hand.
const stamp = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '0.0.0' } }
const large = 'x'.repeat(10_000_000)

const tools = {
  add: ({ a, b }) => String(a + b),
  large: () => large,
  progress: (_args, progressToken) => {
    for (let done = 1; done <= 10_000; done++) {
      const params = { progressToken, progress: done, total: 10_000 }
      write({ jsonrpc: '2.0', method: 'notifications/progress', params })
    }
    return 'done'
  },
  usage: () => {
    const { user, system } = process.cpuUsage()
    return String(user + system)
  },
}

function write(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function answer({ id, method, params }) {
  if (method !== 'tools/call') return write({ jsonrpc: '2.0', id, result: discovered })
  const text = tools[params.name](params.arguments, params._meta.progressToken)
  const result = { resultType: 'complete', content: [{ type: 'text', text }], _meta: stamp }
  write({ jsonrpc: '2.0', id, result })
}

const discovered = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
  _meta: stamp,
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
