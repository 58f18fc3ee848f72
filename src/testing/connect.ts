// Connects a client to a server in the same process, in either era.

import { Client } from '../client/client.ts'
import { CLIENT_ADVICE, CLIENT_KEYS, type ClientOptions } from '../client/client-options.ts'
import type { KnownServer } from '../client/session/tool-types.ts'
import type { Channel, Connectable, Transport } from '../dispatcher/channel.ts'
import {
  createMemoryChannelPair,
  MEMORY_CHANNEL_KEYS,
  type MemoryChannelOptions,
} from '../dispatcher/memory-channel.ts'
import { typeError } from '../primitives/help.ts'
import { checkKeys, describeKind, type KnownKeys } from '../primitives/options.ts'
import { WireRecorder } from './wire-recorder.ts'
import { extensionsFor } from './with-tasks.ts'

/** Options of `connect()`: those of a client, and what a test needs. */
export interface ConnectForTestOptions extends ClientOptions {
  /** Records all messages. The connection then uses real JSON-RPC messages, in both eras. */
  wire?: WireRecorder | undefined
}

export const CONNECT_FOR_TEST_KEYS: KnownKeys<ConnectForTestOptions> = { ...CLIENT_KEYS, wire: true }

/**
 * An open client. Exceptions of handlers reach the test as `cause`, unless `raiseExceptions` is `false`.
 *
 * @example
 * ```ts
 * import { connect } from 'mcpwire/testing'
 * const client = await connect(server, { mode: 'legacy' })
 * const { content } = await client.callTool('add', { a: 1, b: 2 })
 * await client.close()
 * ```
 */
export async function connect<Server extends Connectable & ChannelServer>(
  server: Server,
  options: ConnectForTestOptions = {},
): Promise<Client<KnownServer<Server>>> {
  checkKeys('connect()', options, CONNECT_FOR_TEST_KEYS, CLIENT_ADVICE)
  const { wire, raiseExceptions = true, ...rest } = options
  const clientOptions = { ...rest, ...extensionsFor(server, rest.extensions) }
  if (wire !== undefined && typeof wire?.wrapTransport !== 'function') {
    throw typeError(
      'wrong-option',
      `The option wire of connect() must be a recording, not ${describeKind(wire)}. Write wire: recordWire().`,
    )
  }
  if (wire === undefined) return Client.connect(server, { raiseExceptions, ...clientOptions })
  return Client.connect<Server>(wire.wrapTransport(memoryTransport(server, { raiseExceptions })), clientOptions)
}

/**
 * Creates a recorder for the option `wire` of `connect`.
 *
 * @example
 * ```ts
 * import { connect, recordWire } from 'mcpwire/testing'
 * const wire = recordWire()
 * const client = await connect(server, { wire })
 * await client.callTool('add')
 * console.log(wire.sent, wire.received)
 * ```
 */
export function recordWire(): WireRecorder {
  return new WireRecorder()
}

/** Anything that can serve a client over a channel: `Server`, `MCPServer`. */
export interface ChannelServer {
  /** Serves one channel. Called once for each test connection. */
  connect(channel: Channel): Promise<unknown>
}

/**
 * Each `open()` is a new connection to the server, of either era.
 *
 * @example
 * ```ts
 * import { Client } from 'mcpwire'
 * import { memoryTransport } from 'mcpwire/testing'
 * const client = await Client.connect(memoryTransport(server))
 * ```
 */
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
