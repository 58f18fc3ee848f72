// The server of a test behind a proxy of its own era.
import { onTestFinished } from 'vitest'
import type { Connectable } from '../../../src/dispatcher/channel.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import { type ChannelServer, memoryTransport } from '../../../src/testing/connect.ts'
import type { RequirementId } from '../requirements/index.ts'
import type { Endpoint } from './settings-http.ts'

/** The areas of the manifest that are shown through a proxy: what clients and servers say about features. */
const AREAS: ReadonlySet<string> = new Set([
  'tools',
  'output',
  'resources',
  'logging',
  'content',
  'pages',
  'progress',
  'errors',
  'completion',
  'prompts',
])

/** Entries that do not hold, each with its reason. */
const OTHERWISE: Readonly<Partial<Record<RequirementId, string>>> = {
  'progress:client:token-where-asked-for':
    'the proxy has tokens of its own, so that those of several callers never meet',
  'output:unlisted-tool-is-looked-up-once': 'the proxy lists too, for the headers that arguments of a tool go into',
  'output:tool-in-no-listing': 'the proxy lists too, for the headers that arguments of a tool go into',
  'output:missing-structure-of-an-unlisted-tool':
    'the proxy lists too, for the headers that arguments of a tool go into',
}

export function proxiedEndpoint(era: 'legacy' | 'modern'): Endpoint {
  return (server) => {
    const proxy = createProxy(server as unknown as Connectable, { mode: era, onFault: () => {} })
    onTestFinished(() => proxy.close())
    return memoryTransport(proxy as unknown as ChannelServer)
  }
}

export function holdsThroughProxy(id: RequirementId): boolean {
  return AREAS.has(id.slice(0, id.indexOf(':'))) && OTHERWISE[id] === undefined
}
