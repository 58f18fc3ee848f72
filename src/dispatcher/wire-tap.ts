// Shows every message on a channel to a function, and changes nothing else about the channel.
import type { JSONRPCBatch, JSONRPCMessage, RequestId } from '../types/protocol/jsonrpc.ts'
import type { Channel, Receiver, Transport } from './channel.ts'

/** One message on its way, as the owner of the channel sees it. */
export interface WireMessage {
  /** `sent` by this side or `received` from the peer. */
  readonly direction: 'sent' | 'received'
  /** The message itself, not a copy: read it at once, and do not change it. What is received is checked by nobody yet. */
  readonly message: JSONRPCMessage | JSONRPCBatch
  /** The request in whose service the message travels, where the channel knows it. */
  readonly relatedRequestId?: RequestId | undefined
}

/** Called before the message goes on. Must not throw: an error would be taken for one of the channel. */
export type OnWireMessage = (message: WireMessage) => void

/**
 * The same channel, which shows its messages to `onMessage`. Whatever the channel knows and can do beyond messages stays: its
 * time for closing, the state of a child process, and the waits that both sides ask for.
 */
export function tapChannel(channel: Channel, onMessage: OnWireMessage): Channel {
  const tapped: Channel = {
    start: (receiver) => channel.start(tapReceiver(receiver, onMessage)),
    send: (message, hints) => {
      onMessage({ direction: 'sent', message, relatedRequestId: hints?.relatedRequestId })
      return channel.send(message, hints)
    },
    ...(channel.release !== undefined && { release: (id: RequestId) => channel.release?.(id) }),
    close: () => channel.close(),
  }
  for (const name of ['childStatus', 'closeMs'] as const) {
    // Asked for when it is needed: what a child process wrote changes until it ends.
    if (name in channel) Object.defineProperty(tapped, name, { enumerable: true, get: () => channel[name] })
  }
  return tapped
}

/** A transport whose channels are tapped. */
export function tapTransport(transport: Transport, onMessage: OnWireMessage): Transport {
  const { kind, target } = transport
  const open: Transport['open'] = async (options) => tapChannel(await transport.open(options), onMessage)
  return { kind, open, ...(target !== undefined && { target }) }
}

function tapReceiver(receiver: Receiver, onMessage: OnWireMessage): Receiver {
  return {
    message: (message, hints) => {
      onMessage({
        direction: 'received',
        message: message as JSONRPCMessage,
        relatedRequestId: hints?.relatedRequestId,
      })
      return receiver.message(message, hints)
    },
    lost: (id, reason) => receiver.lost(id, reason),
    ...(receiver.hold !== undefined && { hold: (id: RequestId) => receiver.hold?.(id) ?? (() => {}) }),
    fault: (fault) => receiver.fault(fault),
    closed: (reason) => receiver.closed(reason),
  }
}
