// An option that is `undefined` is an option that is not given.
import { describe, expect, it } from 'vitest'
import { MEMORY_KEYS, memory } from '../../../src/backend/memory/memory.ts'
import { Client } from '../../../src/client/client.ts'
import { apps } from '../../../src/extensions/apps/apps.ts'
import { APP_KEYS } from '../../../src/extensions/apps/server/app-definition.ts'
import { skills } from '../../../src/extensions/skills/skills.ts'
import { LIMIT_KEYS, TASKS_KEYS } from '../../../src/extensions/tasks/options/tasks-options.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { TASK_KEYS } from '../../../src/mcpserver/extensions/task-plan.ts'
import { PROMPT_KEYS, RESOURCE_KEYS, TOOL_KEYS } from '../../../src/mcpserver/handlers/definition-options.ts'
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

  it.each(['modern', 'legacy'] as const)(
    'of a tool, a prompt, a resource, a skill and a view change nothing that a %s client sees',
    async (mode) => {
      const all = async (isGiven: boolean) => {
        const none = (keys: object, ...but: string[]) => {
          const entries = isGiven ? Object.entries(undefinedOf(keys)).filter(([key]) => !but.includes(key)) : []
          return Object.fromEntries(entries)
        }
        const limits = none(LIMIT_KEYS)
        const server = new MCPServer('shop', { extensions: [tasks({ ...none(TASKS_KEYS), limits }), skills(), apps()] })
        const csp = none({ connectDomains: 1, resourceDomains: 1, frameDomains: 1, baseUriDomains: 1 })
        const permissions = none({ camera: 1, microphone: 1, geolocation: 1, clipboardWrite: 1 })
        const html = '<!doctype html><title>x</title>'
        const view = server.app('ui://shop/view', { ...none(APP_KEYS, 'html'), html, csp, permissions })
        server.tool('add', none(TOOL_KEYS), () => 'sum')
        server.tool('long', { task: { ...none(TASK_KEYS), mode: 'always' } }, () => 'done')
        server.tool('shown', { ui: { view, ...none({ visibility: 1 }) } }, () => 'shown')
        server.prompt('greet', none(PROMPT_KEYS), () => 'hello')
        server.resource('notes://a', none(RESOURCE_KEYS), () => 'note')
        const body = () => 'Refund.'
        server.skill('refunds', {
          description: 'Refunds.',
          body,
          ...none({ path: 1, listed: 1, frontmatter: 1, files: 1 }),
        })
        await using client = await Client.connect(server, {
          mode,
          extensions: [tasks(none({ references: 1, watch: 1 })), skills()],
        })
        const [tool] = (await client.listTools()).tools
        return {
          tool,
          tools: await client.listTools(),
          prompts: await client.listPrompts(),
          resources: await client.listResources(),
          view: await client.readResource(view.uri),
          skill: await client.skills.get('skill://refunds/SKILL.md'),
          done: (await client.callTool('long')).content,
        }
      }
      expect(await all(true)).toStrictEqual(await all(false))
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
