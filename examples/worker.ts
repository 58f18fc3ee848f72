// A handler of `fetch`, as Cloudflare Workers and others run it. Started by Node, it calls itself once and prints the result.
// npx tsx examples/worker.ts
import { pathToFileURL } from 'node:url'
import { Client, MCPServer } from 'mcpwire'
import { streamableHttp } from 'mcpwire/client'
import { createHandler, toFetch } from 'mcpwire/server'

const server = new MCPServer('clock', { version: '1.0.0' })
server.tool('now', () => new Date().toISOString())

const handle = toFetch(createHandler(server))
export const worker = { fetch: handle }

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const fetch = ((url: string, init: RequestInit) => handle(new Request(url, init))) as typeof globalThis.fetch
  const client = await Client.connect(streamableHttp('http://localhost/mcp', { fetch }))
  console.log((await client.callTool('now')).content)
  await client.close()
}
