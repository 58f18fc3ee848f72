// Gives a session its dispatcher: the given one, or JSON-RPC over the given channel.
import type { Channel } from '../../dispatcher/channel.ts'
import type { decodeMessage } from '../../dispatcher/decode.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../../dispatcher/jsonrpc-dispatcher.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import { describeKind } from '../../primitives/options.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { requestsWith } from '../../wire/method-rows.ts'

interface Peer {
  readonly dispatcher: Dispatcher
  /** Resolves when the channel has started, and at once where there is none. */
  readonly started: Promise<void>
  /** Why the channel has ended, where this side did not close it. */
  endReason(): Error | undefined
}

interface PeerOptions {
  readonly onFault: OnFault | undefined
  /** Whether `onMessage` gets progress that already went to `onProgress` of a call. */
  readonly hearsProgress: boolean
  /** Parses the messages of the server. */
  readonly decode?: typeof decodeMessage | undefined
  /** Requests of the server that are open at once. */
  readonly questionsAtOnce?: number | undefined
  /** Called when a call waits for the user. The returned function is called when that is over. */
  readonly onHold?: (() => () => void) | undefined
  /** Called when the channel has ended by itself, which may still have to be closed on this side. */
  readonly onEnd?: (() => void) | undefined
}

export function connectPeer(peer: Dispatcher | Channel, options: PeerOptions): Peer {
  const { onFault, hearsProgress, decode, onHold, onEnd, questionsAtOnce } = options
  if (typeof peer !== 'object' || peer === null || !('sendRawRequest' in peer || 'start' in peer)) {
    throw typeError('bad-target', `A ClientSession takes a channel or a dispatcher, not ${describeKind(peer)}.`)
  }
  if ('sendRawRequest' in peer) return { dispatcher: peer, started: Promise.resolve(), endReason: () => undefined }
  const started = createDeferred()
  let reason: Error | undefined
  const channel: Channel = {
    async start(receiver) {
      const closed = (cause?: Error) => {
        reason ??= cause
        receiver.closed(cause)
        onEnd?.()
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
  // While this side answers a request of the server within a call, the server cannot continue that call.
  const dispatcherOptions = {
    holdTimeoutsWhileAnswering: true,
    hearsOwnProgress: hearsProgress,
    ...(decode && { decode }),
    ...(questionsAtOnce !== undefined && { maxConcurrentRequests: questionsAtOnce }),
    urgentMethods: requestsWith('urgent'),
    ...(onFault && { onFault }),
  }
  return {
    dispatcher: new JSONRPCDispatcher(channel, dispatcherOptions),
    started: started.promise,
    endReason: () => reason,
  }
}

function holdBoth(releaseCall: (() => void) | undefined, releaseOther: () => void): () => void {
  return () => {
    releaseCall?.()
    releaseOther()
  }
}
