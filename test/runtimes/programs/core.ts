// Run by Bun and Deno: client and server in one process in both eras, then through the runtime's own HTTP server.
import { Client } from 'mcpwire'
import { compileSchema } from 'mcpwire/schema'
import { createHandler, type FetchHandler, toFetch } from 'mcpwire/server'
import { connect } from 'mcpwire/testing'
import { createServer } from './server.ts'
import { ANSWERS, MODES, talk, talkAboutTasks } from './talk.ts'

interface Serving {
  readonly url: string
  readonly stop: () => unknown
}

/** The little of both runtimes that is used here. */
interface Runtimes {
  readonly Bun?: {
    serve(options: object): { readonly port: number; stop(now: boolean): unknown }
  }
  readonly Deno?: {
    serve(options: object, fetch: FetchHandler): { readonly addr: { readonly port: number }; shutdown(): unknown }
  }
}

function listen(fetch: FetchHandler): Serving {
  const { Bun, Deno } = globalThis as Runtimes
  const options = { port: 0, hostname: '127.0.0.1' }
  if (Bun !== undefined) {
    const serving = Bun.serve({ ...options, fetch: (request: Request) => fetch(request) })
    return { url: `http://127.0.0.1:${serving.port}/mcp`, stop: () => serving.stop(true) }
  }
  if (Deno === undefined) throw new Error('This is neither Bun nor Deno')
  const serving = Deno.serve({ ...options, onListen: () => {} }, fetch)
  return { url: `http://127.0.0.1:${serving.addr.port}/mcp`, stop: () => serving.shutdown() }
}

const seen: Record<string, unknown> = { schema: compileSchema({ type: 'integer', minimum: 2 }).check(1) }

for (const mode of ['legacy', 'modern'] as const) {
  const client = await connect(createServer(), { mode, ...ANSWERS })
  seen[`memory ${mode}`] = await talkAboutTasks(client, await talk(client))
  await client.close()
}

const handler = createHandler(createServer())
const { url, stop } = listen(toFetch(handler))
for (const [era, mode] of Object.entries(MODES)) {
  const client = await Client.connect(url, { mode, ...ANSWERS })
  seen[`http ${era}`] = await talkAboutTasks(client, await talk(client))
  await client.close()
}
await handler.close()
await stop()
console.log(JSON.stringify(seen))
