// The server of a test behind a proxy, or mounted in another server.
import { onTestFinished } from 'vitest'
import type { Connectable } from '../../../src/dispatcher/channel.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import type { Mountable } from '../../../src/mcpserver/mounting/mountable.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import { type ChannelServer, memoryTransport } from '../../../src/testing/connect.ts'
import { isFull } from '../../engines/full.ts'
import type { RequirementId } from '../requirements/index.ts'
import { type ComposedWay, isShort, reasonAgainst } from './settings-composed-exceptions.ts'
import type { Endpoint } from './settings-http.ts'

export type Era = 'legacy' | 'modern'
const WAYS: readonly ComposedWay[] = ['proxied', 'bridged', 'mounted']

/** The ways that show an entry: some entries in `npm test`, all in `npm run test:full`. */
export function waysOf(id: RequirementId): readonly ComposedWay[] {
  if (!isFull && !isShort(id)) return []
  return WAYS.filter((way) => reasonAgainst(way, id) === undefined)
}

/** A way to the server for clients of this era. */
export function composedEndpoint(way: ComposedWay, era: Era): Endpoint {
  if (way === 'mounted') return mountedEndpoint()
  if (way === 'proxied') return proxiedEndpoint(era)
  return proxiedEndpoint(era === 'modern' ? 'legacy' : 'modern')
}

function proxiedEndpoint(era: Era): Endpoint {
  return oncePerServer((server) => {
    const proxy = createProxy(server as unknown as Connectable, { mode: era, onFault: () => {} })
    onTestFinished(() => proxy.close())
    return proxy as unknown as ChannelServer
  })
}

function mountedEndpoint(): Endpoint {
  return oncePerServer((server) => {
    const outer = new MCPServer('outer', { onFault: () => {}, requestState: { keys: [new Uint8Array(32).fill(9)] } })
    outer.mount(server as unknown as Mountable)
    onTestFinished(() => outer.close())
    return outer
  })
}

/** Several clients of one server meet at the same front. */
function oncePerServer(wrap: (server: ChannelServer) => ChannelServer): Endpoint {
  const fronts = new WeakMap<ChannelServer, ChannelServer>()
  return (server) => {
    const front = fronts.get(server) ?? wrap(server)
    fronts.set(server, front)
    return memoryTransport(front)
  }
}
