// A transport to a server in the same process that makes real JSON-RPC of everything.
import type { Channel, Transport } from '../dispatcher/channel.ts'
import {
  createMemoryChannelPair,
  MEMORY_CHANNEL_KEYS,
  type MemoryChannelOptions,
} from '../dispatcher/memory-channel.ts'
import { checkKeys } from '../primitives/known-keys.ts'

/** Anything that can serve a client over a channel: `Server`, `MCPServer`. */
export interface ChannelServer {
  connect(channel: Channel): Promise<unknown>
}

/** Each `open()` is a new connection to the server, of either era. */
export function memoryTransport(server: ChannelServer, options: MemoryChannelOptions = {}): Transport {
  checkKeys('memoryTransport()', options, MEMORY_CHANNEL_KEYS)
  return {
    kind: 'memory',
    open: async () => {
      const [here, there] = createMemoryChannelPair(options)
      await server.connect(there)
      return here
    },
  }
}
