// What a client must not write to a user's store: everything that the server does not call reusable.
import { describe, expect, it, vi } from 'vitest'
import { InMemoryResponseCacheStore } from '../../../../src/client/cache/response-store.ts'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { type Script, ScriptedServer, tool } from './scripted-server.ts'

const CACHED: Record<string, JSONObject> = {
  'tools/list': { tools: [tool('a')] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [] },
  'resources/read': { contents: [] },
}

async function connect(script: Script, options: ClientOptions = {}, cache: object = {}) {
  const store = new InMemoryResponseCacheStore()
  const set = vi.spyOn(store, 'set')
  const server = new ScriptedServer(script)
  const config = { store, partition: 'ada', targetId: 'here', ...cache }
  const client = await Client.connect(server, { cache: config, ...options })
  return { client, set, store, [Symbol.asyncDispose]: () => client.close() }
}

/** Every verb whose result can be kept. */
async function askForEverything(client: Client): Promise<void> {
  await client.listTools()
  await client.listResources()
  await client.listResourceTemplates()
  await client.listPrompts()
  await client.readResource('x:1')
}

const answers = (more: JSONObject): Script =>
  Object.fromEntries(
    Object.entries(CACHED).map(([method, result]) => [
      method,
      { resultType: 'complete', cacheScope: 'private', ...result, ...more },
    ]),
  )

describe('nothing is written of results', () => {
  it.each([0, -0])('with ttlMs: %d, whatever the default is', async (ttlMs) => {
    for (const defaultTtlMs of [0, 60_000]) {
      await using open = await connect(answers({ ttlMs }), {}, { defaultTtlMs })
      await askForEverything(open.client)
      expect(open.set).not.toHaveBeenCalled()
      expect(open.store.size).toBe(0)
    }
  })

  it('with ttlMs: 0 that a refresh asked for', async () => {
    await using open = await connect(answers({ ttlMs: 0 }))
    await open.client.listTools({ cacheMode: 'refresh' })
    await open.client.readResource('x:1', { cacheMode: 'refresh' })
    expect(open.set).not.toHaveBeenCalled()
  })

  it('of a call that goes past the cache', async () => {
    await using open = await connect(answers({ ttlMs: 60_000 }))
    await open.client.listTools({ cacheMode: 'bypass' })
    await open.client.readResource('x:1', { cacheMode: 'bypass' })
    expect(open.set).not.toHaveBeenCalled()
  })

  it('of a legacy server, whatever it sends, without a default', async () => {
    await using open = await connect(answers({ ttlMs: 60_000 }), { mode: 'legacy' })
    await askForEverything(open.client)
    expect(open.set).not.toHaveBeenCalled()
  })

  it('of further pages, and of calls of tools and prompts', async () => {
    const script = {
      ...answers({ ttlMs: 60_000 }),
      'tools/call': { resultType: 'complete', content: [], ttlMs: 60_000, cacheScope: 'public' },
      'prompts/get': { resultType: 'complete', messages: [], ttlMs: 60_000, cacheScope: 'public' },
    }
    await using open = await connect(script)
    await open.client.listTools({ cursor: 'two' })
    await open.client.callTool('a')
    await open.client.getPrompt('p')
    expect(open.set).not.toHaveBeenCalled()
  })

  it('that are errors', async () => {
    const fails = () => {
      throw new MCPError(-32603, 'no', { ttlMs: 60_000 })
    }
    await using open = await connect({ 'tools/list': fails, 'resources/read': fails })
    await expect(open.client.listTools()).rejects.toThrow()
    await expect(open.client.readResource('x:1')).rejects.toThrow()
    expect(open.set).not.toHaveBeenCalled()
  })

  it('that took a question to get, or were begun with answers', async () => {
    let asked = 0
    const read = { resultType: 'complete', contents: [], ttlMs: 60_000, cacheScope: 'public' }
    const script = {
      'resources/read': (params: JSONObject) => {
        asked += 1
        return params['requestState'] === undefined ? { resultType: 'input_required', requestState: 's' } : read
      },
    }
    await using open = await connect(script)
    await open.client.readResource('x:1')
    await open.client.readResource('x:1', { requestState: 's' })
    expect(asked).toBe(3)
    expect(open.set).not.toHaveBeenCalled()
  })

  it('of a client without a cache', async () => {
    await using client = await Client.connect(new ScriptedServer(answers({ ttlMs: 60_000 })), { cache: false })
    const set = vi.spyOn(InMemoryResponseCacheStore.prototype, 'set')
    await askForEverything(client)
    expect(set).not.toHaveBeenCalled()
    set.mockRestore()
  })
})

it('one millisecond is enough to be written, and is not written for longer than that', async () => {
  const now = 1_000_000
  await using open = await connect(answers({ ttlMs: 1 }), {}, { clock: () => now })
  await open.client.listTools()
  expect(open.set).toHaveBeenCalledTimes(1)
  expect(open.set.mock.calls[0]?.[1]).toMatchObject({ expiresAt: now + 1, scope: 'private' })
})
