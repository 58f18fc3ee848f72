// Calls in process as something about the server grows: its tools, its middleware, calls under way at once, the size of arguments.
// Each contender is one size; its runs are calls, or units of work that should cost the same at every size.
import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const input = z.object({ a: z.number(), b: z.number(), text: z.string().optional() })

async function connect(change) {
  const server = new MCPServer('bench')
  change?.(server)
  server.tool('add', { input }, ({ a, b }) => a + b)
  const client = await Client.connect(server)
  await client.listTools()
  return client
}

async function withTools(count) {
  const client = await connect((server) => {
    for (let index = 1; index < count; index++) server.tool(`tool_${index}`, { input }, () => 'done')
  })
  return () => client.callTool('add', { a: 1, b: 2 })
}

async function withMiddleware(count) {
  const client = await connect((server) => {
    for (let index = 0; index < count; index++) server.use((_ctx, next) => next())
  })
  return () => client.callTool('add', { a: 1, b: 2 })
}

/** A run is one call of those under way. */
async function inFlight(count) {
  const client = await connect()
  let open = []
  return async () => {
    open.push(client.callTool('add', { a: 1, b: 2 }))
    if (open.length < count) return
    await Promise.all(open)
    open = []
  }
}

/** A run is 10 KB: several calls of a small size, or a part of one of a large size. */
async function ofSize(kilobytes) {
  const client = await connect()
  const args = { a: 1, b: 2, text: 'x'.repeat(kilobytes * 1_000) }
  let owed = 0
  return async () => {
    for (owed += 10; owed >= kilobytes; owed -= kilobytes) await client.callTool('add', args)
  }
}

const sizes = (name, counts, create) =>
  Object.fromEntries(counts.map((count) => [`${count.toLocaleString('en')} ${name}`, () => create(count)]))

export const contenders = {
  ...sizes('tools', [10, 100, 1_000, 5_000], withTools),
  ...sizes('layers of middleware', [0, 10, 50], withMiddleware),
  ...sizes('at once', [1, 16, 256], inFlight),
  ...sizes('KB of arguments', [10, 100, 1_000], ofSize),
}
