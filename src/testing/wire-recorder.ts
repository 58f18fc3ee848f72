// Keeps a copy of everything that crosses a channel, so that a test can say what was on the wire.
import type { Channel, Receiver, Transport } from '../dispatcher/channel.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../types/protocol/jsonrpc.ts'

export interface WireEntry {
  /** Seen from the end whose channel was wrapped. */
  readonly direction: 'sent' | 'received'
  readonly message: JSONRPCMessage | JSONRPCBatch
}

/** Wrap a channel or a transport with it; `entries` then grows with every message, in order. */
export class WireRecorder {
  readonly entries: WireEntry[] = []

  /** The messages of one direction. */
  get sent(): (JSONRPCMessage | JSONRPCBatch)[] {
    return this.#of('sent')
  }

  get received(): (JSONRPCMessage | JSONRPCBatch)[] {
    return this.#of('received')
  }

  wrapChannel(channel: Channel): Channel {
    return {
      start: (receiver) => channel.start(this.#spy(receiver)),
      send: (message, hints) => {
        this.#keep('sent', message)
        return channel.send(message, hints)
      },
      release: (id) => channel.release?.(id),
      close: () => channel.close(),
    }
  }

  wrapTransport(transport: Transport): Transport {
    const { kind, target } = transport
    const open: Transport['open'] = async (options) => this.wrapChannel(await transport.open(options))
    return { kind, open, ...(target !== undefined && { target }) }
  }

  #of(direction: WireEntry['direction']): (JSONRPCMessage | JSONRPCBatch)[] {
    return this.entries.filter((entry) => entry.direction === direction).map((entry) => entry.message)
  }

  #spy(receiver: Receiver): Receiver {
    return {
      message: (message, hints) => {
        this.#keep('received', message as JSONRPCMessage)
        return receiver.message(message, hints)
      },
      fault: (fault) => receiver.fault(fault),
      lost: (id, reason) => receiver.lost(id, reason),
      closed: (reason) => receiver.closed(reason),
    }
  }

  /** A copy: later changes of the object must not change history. */
  #keep(direction: WireEntry['direction'], message: JSONRPCMessage | JSONRPCBatch): void {
    this.entries.push({ direction, message: structuredClone(message) })
  }
}
