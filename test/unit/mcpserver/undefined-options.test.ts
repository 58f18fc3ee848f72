// An option that is `undefined` is an option that is not given.
import { describe, expect, it } from 'vitest'
import { MEMORY_KEYS, memory } from '../../../src/backend/memory/memory.ts'
import { Client } from '../../../src/client/client.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { MCP_SERVER_KEYS } from '../../../src/mcpserver/options.ts'
import { POSTGRES_KEYS, postgres } from '../../../src/postgres/postgres.ts'
import { REDIS_KEYS, redis } from '../../../src/redis/redis.ts'
import { SERVER_KEYS, Server } from '../../../src/server/server.ts'
import { SQLITE_KEYS, sqlite } from '../../../src/sqlite/sqlite.ts'

function undefinedOf(keys: object): object {
  return Object.fromEntries(Object.keys(keys).map((key) => [key, undefined]))
}

async function shown(server: MCPServer | Server, mode: 'modern' | 'legacy') {
  await using client = await Client.connect(server, { mode })
  const { serverInfo, serverCapabilities, instructions, protocolVersion } = client
  return { serverInfo, serverCapabilities, instructions, protocolVersion }
}

describe('options that are undefined', () => {
  it.each(['modern', 'legacy'] as const)(
    'of an MCPServer and a Server change nothing that a %s client sees',
    async (mode) => {
      const given = new MCPServer('shop', undefinedOf(MCP_SERVER_KEYS))
      const plain = new MCPServer('shop')
      for (const server of [given, plain]) server.tool('add', () => 'sum')
      expect(await shown(given, mode)).toStrictEqual(await shown(plain, mode))
      expect(await shown(new Server('shop', undefinedOf(SERVER_KEYS)), mode)).toStrictEqual(
        await shown(new Server('shop'), mode),
      )
    },
  )

  it('of a backend are taken like none', async () => {
    expect(() => redis('redis://localhost', undefinedOf(REDIS_KEYS))).not.toThrow()
    expect(() => postgres('postgres://localhost/shop', undefinedOf(POSTGRES_KEYS))).not.toThrow()
    for (const backend of [memory(undefinedOf(MEMORY_KEYS)), sqlite(':memory:', undefinedOf(SQLITE_KEYS))]) {
      await backend.open()
      await backend.records.put('k', 'v', { ttlMs: 60_000 })
      expect(await backend.records.get('k')).toMatchObject({ value: 'v' })
      await backend.close()
    }
  })
})
