// Records a copy of every message on a channel, for assertions in tests.
import type { Channel, Receiver, Transport } from '../dispatcher/channel.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../types/protocol/jsonrpc.ts'

export interface WireEntry {
  /** As seen by the owner of the wrapped channel. */
  readonly direction: 'sent' | 'received'
  readonly message: JSONRPCMessage | JSONRPCBatch
}

/** Wraps a channel or a transport, and records every message in `entries`, in order. */
export class WireRecorder {
  readonly entries: WireEntry[] = []

  /** The messages that the owner of the wrapped channel sent. */
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
        this.#record('sent', message)
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
        this.#record('received', message as JSONRPCMessage)
        return receiver.message(message, hints)
      },
      fault: (fault) => receiver.fault(fault),
      lost: (id, reason) => receiver.lost(id, reason),
      closed: (reason) => receiver.closed(reason),
    }
  }

  /** A copy, so that later changes of the message don't change the recording. */
  #record(direction: WireEntry['direction'], message: JSONRPCMessage | JSONRPCBatch): void {
    this.entries.push({ direction, message: structuredClone(message) })
  }
}
