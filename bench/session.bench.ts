// The cost of a tools/call through Client and Server in one process, compared with a function call and a JSON round trip.
import { Client } from '../src/client/client.ts'
import { compileSchema } from '../src/schema/engine.ts'
import { Server } from '../src/server/server.ts'
import type { Tool } from '../src/types/features/tools.ts'
import { type Contender, goal, measure, report } from './measure.ts'

const inputSchema = {
  type: 'object' as const,
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
}
const validator = compileSchema(inputSchema)

function add(args: unknown) {
  if (!validator.check(args)) throw new TypeError('bad arguments')
  const { a, b } = args as { a: number; b: number }
  return { content: [{ type: 'text' as const, text: String(a + b) }], structuredContent: { result: a + b } }
}

function createServer(toolCount: number): Server {
  const tools: Tool[] = Array.from({ length: toolCount }, (_, n) => ({ name: `tool-${n}`, inputSchema }))
  tools.push({ name: 'add', inputSchema })
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return new Server('bench', {
    handlers: {
      'tools/list': () => ({ tools }),
      'tools/call': (_ctx, { name, arguments: args }) => {
        if (!byName.has(name)) throw new RangeError(name)
        return add(args)
      },
    },
  })
}

/** The two messages of one call in that era, created as cheaply as possible. */
function bare(name: string, wire: (id: number) => { meta: object; stamp?: object }): Contender {
  let id = 0
  return {
    name,
    run: async () => {
      id += 1
      const { meta, stamp } = wire(id)
      const params = { name: 'add', arguments: { a: 1, b: 2 }, _meta: meta }
      const request = JSON.parse(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))
      const { content, structuredContent } = add(request.params.arguments)
      const result =
        stamp === undefined
          ? { content, structuredContent }
          : { resultType: 'complete', content, structuredContent, _meta: stamp }
      return JSON.parse(JSON.stringify({ jsonrpc: '2.0', id, result }))
    },
  }
}

const clientInfo = { name: 'mcpwire', version: '0.2.0' }
const stamp = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '0.0.0' } }
const modernWire = (progressToken: number) => ({
  meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': clientInfo,
    progressToken,
  },
  stamp,
})
const handshakeWire = (progressToken: number) => ({ meta: { progressToken } })

const clients = {
  modern: await Client.connect(createServer(10)),
  modernMany: await Client.connect(createServer(5_000)),
  legacy: await Client.connect(createServer(10), { mode: 'legacy' }),
}
const calling = (name: string, client: Client): Contender => ({
  name,
  run: () => client.callTool('add', { a: 1, b: 2 }),
})

const modern = await measure([
  bare('bare function, JSON round trip (2026-07-28)', modernWire),
  calling('Client → Server, modern, 10 tools', clients.modern),
  calling('Client → Server, modern, 5,000 tools', clients.modernMany),
])
report('tools/call in process, modern era', modern)
goal('modern / bare', modern[1]!.nanoseconds / modern[0]!.nanoseconds, 1.5)
goal('5,000 tools / 10 tools', modern[2]!.nanoseconds / modern[1]!.nanoseconds, 1.15)

const legacy = await measure([
  bare('bare function, JSON round trip (2025-11-25)', handshakeWire),
  calling('Client → Server, legacy', clients.legacy),
])
report('tools/call in process, legacy era', legacy)
goal('legacy / bare', legacy[1]!.nanoseconds / legacy[0]!.nanoseconds, 2)

for (const client of Object.values(clients)) await client.close()
