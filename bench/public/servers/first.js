// Servers over stdio that load no more than they need: the first result is what counts.
const input = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
}
const info = { name: 'bench', version: '1.0.0' }

/** Node alone: lines, and what they say. */
function serve(add) {
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk) => {
    rest += chunk
    const lines = rest.split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const { id, params } = JSON.parse(line)
      const result = { resultType: 'complete', content: [{ type: 'text', text: String(add(params.arguments)) }] }
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
    }
  })
}

const bare = () => serve(({ a, b }) => a + b)

async function schema() {
  const { z } = await import('zod')
  return z.object({ a: z.number(), b: z.number() })
}

async function bareWithZod() {
  const own = await schema()
  serve((args) => {
    const { a, b } = own.parse(args)
    return a + b
  })
}

async function withJsonSchema() {
  const { MCPServer } = await import('mcpwire')
  const server = new MCPServer('bench')
  server.tool('add', { input }, ({ a, b }) => a + b)
  void server.run()
}

async function withZod() {
  const { MCPServer } = await import('mcpwire')
  const server = new MCPServer('bench')
  server.tool('add', { input: await schema() }, ({ a, b }) => a + b)
  void server.run()
}

async function officialV2() {
  const { McpServer } = await import('@modelcontextprotocol/server')
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  const inputSchema = await schema()
  serveStdio(() => {
    const server = new McpServer(info)
    server.registerTool('add', { inputSchema }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }))
    return server
  })
}

export const contenders = {
  bare,
  'bare, zod': bareWithZod,
  'mcpwire, JSON Schema': withJsonSchema,
  mcpwire: withZod,
  'official v2': officialV2,
}
