// Records a copy of every message on a channel, for assertions in tests.
import type { Channel, Transport } from '../dispatcher/channel.ts'
import { tapChannel, tapTransport, type WireMessage } from '../dispatcher/wire-tap.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../types/protocol/jsonrpc.ts'

/** One recorded message. */
export interface WireEntry {
  /** As seen by the owner of the wrapped channel. */
  readonly direction: 'sent' | 'received'
  /** The JSON-RPC message as it was sent. */
  readonly message: JSONRPCMessage | JSONRPCBatch
}

/**
 * Wraps a channel or a transport, and records every message in `entries`, in order.
 *
 * @example
 * ```ts
 * import { Client } from 'mcpwire'
 * import { WireRecorder, memoryTransport } from 'mcpwire/testing'
 * const wire = new WireRecorder()
 * await Client.connect(wire.wrapTransport(memoryTransport(server)))
 * console.log(wire.entries.length)
 * ```
 */
export class WireRecorder {
  /** All messages so far, in the order they were seen. */
  readonly entries: WireEntry[] = []

  /** The messages that the owner of the wrapped channel sent. */
  get sent(): (JSONRPCMessage | JSONRPCBatch)[] {
    return this.#of('sent')
  }

  /** The messages that were received, in order. */
  get received(): (JSONRPCMessage | JSONRPCBatch)[] {
    return this.#of('received')
  }

  /** Returns a channel that records everything that passes. Use it in place of the original. */
  wrapChannel(channel: Channel): Channel {
    return tapChannel(channel, this.#record)
  }

  /** Returns a transport whose channels record everything that passes. */
  wrapTransport(transport: Transport): Transport {
    return tapTransport(transport, this.#record)
  }

  #of(direction: WireEntry['direction']): (JSONRPCMessage | JSONRPCBatch)[] {
    return this.entries.filter((entry) => entry.direction === direction).map((entry) => entry.message)
  }

  /** A copy, so that later changes of the message don't change the recording. */
  readonly #record = ({ direction, message }: WireMessage): void => {
    this.entries.push({ direction, message: structuredClone(message) })
  }
}
