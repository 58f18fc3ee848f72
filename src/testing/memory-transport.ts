// A transport to a server in the same process that makes real JSON-RPC of everything.
import type { Channel, Transport } from '../dispatcher/channel.ts'
import { createMemoryChannelPair } from '../dispatcher/memory-channel.ts'

/** Anything that can serve a client over a channel: `Server`, `MCPServer`. */
export interface ChannelServer {
  connect(channel: Channel): Promise<unknown>
}

/** Each `open()` is a new connection to the server, of either era. */
export function memoryTransport(server: ChannelServer): Transport {
  return {
    kind: 'memory',
    open: async () => {
      const [here, there] = createMemoryChannelPair()
      await server.connect(there)
      return here
    },
  }
}
