// What the tests of the response cache share: a server that numbers its answers, and a clock in the test's hand.
import type { CacheConfig } from '../../../src/client/cache/cache-config.ts'
import type { CacheEntry, ResponseCacheStore } from '../../../src/client/cache/response-store.ts'
import type { Client } from '../../../src/client/client.ts'
import type { ClientListOptions } from '../../../src/client/client-options.ts'
import type { CacheHints } from '../../../src/server/results/caching.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import type { CacheScope } from '../../../src/types/protocol/base.ts'
import { tool } from './support-features.ts'

export const TTL_MS = 60_000

/** How long answers stay good, and for whom: the same for all that can be kept. */
export function hints(ttlMs = TTL_MS, scope: CacheScope = 'private'): CacheHints {
  const hint = { ttlMs, scope }
  return {
    'tools/list': hint,
    'resources/list': hint,
    'resources/templates/list': hint,
    'prompts/list': hint,
    'resources/read': hint,
  }
}

/** Numbers its answers, by method and uri, so that a test sees how old what it gets is. */
export function numberingServer(options: ServerOptions = {}): Server {
  const counts = new Map<string, number>()
  const next = (what: string) => {
    const count = (counts.get(what) ?? 0) + 1
    counts.set(what, count)
    return `v${count}`
  }
  return new Server('numbering', {
    subscriptions: true,
    cacheHints: hints(),
    ...options,
    handlers: {
      'tools/list': () => ({ tools: [tool(next('tools'))] }),
      'resources/list': () => ({ resources: [{ uri: 'x:1', name: next('resources') }] }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'x:{a}', name: next('templates') }] }),
      'prompts/list': () => ({ prompts: [{ name: next('prompts') }] }),
      'resources/read': (_ctx, { uri }) => ({ contents: [{ uri, text: next(uri) }] }),
      ...options.handlers,
    },
  })
}

type Verb = (client: Client, options?: ClientListOptions) => Promise<string | undefined>

/** The number of the answer that a verb gets. */
export const ask: Record<'tools' | 'resources' | 'templates' | 'prompts' | 'read', Verb> = {
  tools: async (client, options) => (await client.listTools(options)).tools[0]?.name,
  resources: async (client, options) => (await client.listResources(options)).resources[0]?.name,
  templates: async (client, options) => (await client.listResourceTemplates(options)).resourceTemplates[0]?.name,
  prompts: async (client, options) => (await client.listPrompts(options)).prompts[0]?.name,
  read: (client, options) => read(client, 'x:1', options),
}

export async function read(client: Client, uri: string, options?: ClientListOptions): Promise<string | undefined> {
  const [contents] = (await client.readResource(uri, options)).contents
  return contents !== undefined && 'text' in contents ? contents.text : undefined
}

/** The numbers that all verbs get, by verb. */
export async function askAll(client: Client, options?: ClientListOptions): Promise<Record<string, string | undefined>> {
  const numbers: Record<string, string | undefined> = {}
  for (const [name, verb] of Object.entries(ask)) numbers[name] = await verb(client, options)
  return numbers
}

export function allAt(number: string): Record<string, string> {
  return Object.fromEntries(Object.keys(ask).map((name) => [name, number]))
}

/** A clock that stands still until it is moved. */
export class Clock {
  #now = 1_000_000

  readonly now = (): number => this.#now

  advance(ms: number): void {
    this.#now += ms
  }
}

/** A cache that keeps results in both eras: in the legacy era no server says how long they stay good. */
export function caching(config: CacheConfig = {}): { cache: CacheConfig } {
  return { cache: { defaultTtlMs: TTL_MS, ...config } }
}

/** A store for several clients, whose operations can be made to fail or to take their time. */
export class TestStore implements ResponseCacheStore {
  readonly entries = new Map<string, CacheEntry>()
  before: (operation: 'get' | 'set' | 'delete') => Promise<void> | void = () => {}

  async get(key: string): Promise<CacheEntry | undefined> {
    await this.before('get')
    return this.entries.get(key)
  }

  async set(key: string, entry: CacheEntry): Promise<void> {
    await this.before('set')
    this.entries.set(key, entry)
  }

  async delete(key: string): Promise<void> {
    await this.before('delete')
    this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
  }
}
