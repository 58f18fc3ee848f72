// The server of a test behind a proxy: in its own era, or with the other one between the proxy and the server.
import { onTestFinished } from 'vitest'
import type { Connectable } from '../../../src/dispatcher/channel.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import { type ChannelServer, memoryTransport } from '../../../src/testing/connect.ts'
import type { RequirementId } from '../requirements/index.ts'
import type { Endpoint } from './settings-http.ts'

export type Between = 'proxied' | 'bridged'

/** A proxy whose back speaks this era. */
export function proxiedEndpoint(era: 'legacy' | 'modern'): Endpoint {
  return (server) => {
    const proxy = createProxy(server as unknown as Connectable, { mode: era, onFault: () => {} })
    onTestFinished(() => proxy.close())
    return memoryTransport(proxy as unknown as ChannelServer)
  }
}

export function holdsThrough(_between: Between, _id: RequirementId): boolean {
  return true
}
