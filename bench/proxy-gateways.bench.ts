// The lists of a gateway of 20 sources with 50 tools each: warm against one server with as many tools, cold against the slowest source.
import { Client } from '../src/client/client.ts'
import { createGateway } from '../src/exports/proxy.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { goal, measure, report } from './measure.ts'

const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } as const

function serverWith(count: number): MCPServer {
  const server = new MCPServer('tools', { cacheHints: { 'tools/list': { ttlMs: 600_000, scope: 'public' } } })
  for (let n = 0; n < count; n++) server.tool(`tool_${n}`, { input, description: 'Does something' }, () => n)
  return server
}

/** Asks each time. */
const connect = (server: Parameters<typeof Client.connect>[0]) => Client.connect(server, { cache: false })

const twenty = (change = (server: MCPServer, _n: number) => server) =>
  createGateway(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`s${n}`, change(serverWith(50), n)])))

const [own, gateway] = [await connect(serverWith(1_000)), await connect(twenty())]
for (const client of [own, gateway]) await client.listTools()
const lists = await measure(
  [
    { name: '1,000 tools of one server', run: () => own.listTools() },
    { name: 'a gateway of 20 sources with 50 tools', run: () => gateway.listTools() },
  ],
  { warmUpMs: 400 },
)
report('tools/list, warm', lists)
goal('gateway / one server', lists[1]!.nanoseconds / lists[0]!.nanoseconds, 1.1)

/** The n-th source takes 10 n ms longer than the first. */
const slow = () =>
  twenty((server, n) =>
    server.use(async (ctx, next) => {
      if (ctx.method === 'tools/list') await new Promise((resolve) => setTimeout(resolve, 100 + 10 * n))
      return next()
    }),
  )
const SLOWEST_MS = 290
const took: number[] = []
for (let n = 0; n < 7; n++) {
  await using client = await connect(slow())
  const started = performance.now()
  await client.listTools()
  took.push(performance.now() - started)
}
const best = Math.min(...took)
console.log(`\ntools/list, cold: ${best.toFixed(0)} ms, the slowest source ${SLOWEST_MS} ms (best of ${took.length})`)
goal('time above the slowest source / 10 ms', (best - SLOWEST_MS) / 10, 1)
await Promise.all([own.close(), gateway.close()])
