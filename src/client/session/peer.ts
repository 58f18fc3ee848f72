// A session speaks through a dispatcher; this makes one of whatever it was given.

import type { Channel } from '../../dispatcher/channel.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../../dispatcher/jsonrpc-dispatcher.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { requestsWith } from '../../wire/method-rows.ts'

export interface Peer {
  readonly dispatcher: Dispatcher
  /** Resolves when the channel has started; at once where there is none to start. */
  readonly started: Promise<void>
  /** Why the channel has ended, where that came unasked. */
  endReason(): Error | undefined
}

export interface PeerOptions {
  readonly onFault: OnFault | undefined
  /** Whether anyone but those who called wants to know of progress. */
  readonly hearsProgress: boolean
  /** Told when a call waits for a person on this side; what it returns is called when that is over. */
  readonly onHold?: (() => () => void) | undefined
}

/** A dispatcher as it is, or JSON-RPC over a channel. */
export function connectPeer(peer: Dispatcher | Channel, options: PeerOptions): Peer {
  const { onFault, hearsProgress, onHold } = options
  if ('sendRawRequest' in peer) return { dispatcher: peer, started: Promise.resolve(), endReason: () => undefined }
  const started = createDeferred()
  let reason: Error | undefined
  const channel: Channel = {
    async start(receiver) {
      const closed = (cause?: Error) => {
        reason ??= cause
        receiver.closed(cause)
      }
      const hold = onHold && ((id: RequestId) => holdBoth(receiver.hold?.(id), onHold()))
      await peer.start({ ...receiver, ...(hold && { hold }), closed })
      started.resolve()
    },
    send: (message, hints) => peer.send(message, hints),
    release: (id) => peer.release?.(id),
    close: () => peer.close(),
    get closeMs() {
      return peer.closeMs
    },
  }
  // A server that asks us something during a call of ours waits for the answer, as we do.
  const ways = {
    holdTimeoutsWhileAnswering: true,
    hearsOwnProgress: hearsProgress,
    urgentMethods: requestsWith('urgent'),
    ...(onFault && { onFault }),
  }
  return { dispatcher: new JSONRPCDispatcher(channel, ways), started: started.promise, endReason: () => reason }
}

function holdBoth(releaseCall: (() => void) | undefined, releaseOther: () => void): () => void {
  return () => {
    releaseCall?.()
    releaseOther()
  }
}
