// Connected dispatchers for tests, one kind per transport, and a peer that speaks raw messages.

import type { Channel } from '../../src/dispatcher/channel.ts'
import { createDirectDispatcherPair } from '../../src/dispatcher/direct-dispatcher.ts'
import type { Dispatcher, DispatcherOptions, OnNotify, OnRequest } from '../../src/dispatcher/dispatcher.ts'
import type { Fault } from '../../src/dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../src/dispatcher/memory-channel.ts'
import { BoundedQueue } from '../../src/primitives/async/queue.ts'
import type { JSONRPCMessage } from '../../src/types/protocol/jsonrpc.ts'

export type PairFactory = (options?: DispatcherOptions, peerOptions?: DispatcherOptions) => [Dispatcher, Dispatcher]

export const pairs: { kind: string; createPair: PairFactory }[] = [
  { kind: 'direct', createPair: (options, peerOptions) => createDirectDispatcherPair(options, peerOptions) },
  {
    kind: 'JSON-RPC',
    createPair: (options, peerOptions) => {
      const [here, there] = createMemoryChannelPair()
      return [new JSONRPCDispatcher(here, options), new JSONRPCDispatcher(there, peerOptions ?? options)]
    },
  },
]

export const refuseAll: OnRequest = (_context, method) => {
  throw new Error(`nobody expected '${method}'`)
}
export const ignoreAll: OnNotify = () => {}

export interface Connected extends AsyncDisposable {
  caller: Dispatcher
  callee: Dispatcher
  /** Faults of the caller and of the callee. */
  faults: { caller: Fault[]; callee: Fault[] }
  /** Settle when either side has ended. */
  ended: { caller: Promise<void>; callee: Promise<void> }
}

export interface ConnectHandlers {
  onRequest?: OnRequest
  onNotify?: OnNotify
  callerOnRequest?: OnRequest
  callerOnNotify?: OnNotify
  options?: DispatcherOptions
  callerOptions?: DispatcherOptions
}

/** Two running dispatchers. */
export function connectPair(createPair: PairFactory, handlers: ConnectHandlers = {}): Connected {
  const faults = { caller: [] as Fault[], callee: [] as Fault[] }
  const [caller, callee] = createPair(
    { onFault: (fault) => faults.caller.push(fault), ...handlers.callerOptions },
    { onFault: (fault) => faults.callee.push(fault), ...handlers.options },
  )
  const ended = {
    callee: callee.run(handlers.onRequest ?? refuseAll, handlers.onNotify ?? ignoreAll),
    caller: caller.run(handlers.callerOnRequest ?? refuseAll, handlers.callerOnNotify ?? ignoreAll),
  }
  return {
    caller,
    callee,
    faults,
    ended,
    [Symbol.asyncDispose]: async () => {
      await caller.close()
      await callee.close()
    },
  }
}

/** The far end of a channel, in the hands of the test. */
export class RawPeer {
  readonly channel: Channel
  readonly #inbox = new BoundedQueue<unknown>(100_000)
  isClosed = false

  constructor(channel: Channel) {
    this.channel = channel
    void channel.start({
      message: (message) => {
        this.#inbox.push(message)
        return undefined
      },
      fault: () => {},
      lost: () => {},
      closed: () => {
        this.isClosed = true
        this.#inbox.end()
      },
    })
  }

  get unread(): number {
    return this.#inbox.size
  }

  /** Sends anything, JSON-RPC or not. */
  send(message: unknown): void {
    void this.channel.send(message as JSONRPCMessage)
  }

  async next(): Promise<Record<string, unknown>> {
    const { done, value } = await this.#inbox.next()
    if (done) throw new Error('the channel has closed')
    return value as Record<string, unknown>
  }
}

/** A dispatcher that serves, and a raw peer at the other end of its channel. */
export function connectRaw(onRequest: OnRequest = refuseAll, options: DispatcherOptions = {}, onNotify = ignoreAll) {
  const [here, there] = createMemoryChannelPair()
  const faults: Fault[] = []
  const dispatcher = new JSONRPCDispatcher(here, { onFault: (fault) => faults.push(fault), ...options })
  const ended = dispatcher.run(onRequest, onNotify)
  const peer = new RawPeer(there)
  return { dispatcher, peer, faults, ended, [Symbol.asyncDispose]: () => dispatcher.close() }
}

/** Lets everything that is ready to run do so, without waiting for time to pass. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}
