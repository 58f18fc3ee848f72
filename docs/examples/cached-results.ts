import { Client, MCPServer } from 'mcpwire'
import { memory } from 'mcpwire/backend'

// Results of a server without `cacheHints` are not cached.
const server = new MCPServer('library', {
  cacheHints: {
    'tools/list': { ttlMs: 300_000, scope: 'public' },
    'resources/read': { ttlMs: 60_000, scope: 'public' },
  },
})
let reads = 0
server.resource('books://list', () => {
  reads += 1
  return 'Ulysses'
})

// `redis(url)` in place of `memory()` shares results between processes.
const backend = memory()
for (const partition of ['ada', 'bob']) {
  await using client = await Client.connect(server, {
    backend,
    cache: { partition, targetId: 'library' },
  })
  await client.readResource('books://list')
}
console.log(`The server was asked ${reads} time`)
