// Two channels in one process, connected to each other; messages cross as JSON text, as they would on a pipe.
import { createDeferred, type Deferred } from '../primitives/deferred.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../types/jsonrpc.ts'
import type { Channel, Receiver, TransportContext } from './channel.ts'
import { encodeMessage } from './encode.ts'
import { connectionClosed } from './error-policy.ts'

const MEMORY: TransportContext = Object.freeze({ kind: 'memory', canSendRequest: true })
const HINTS = Object.freeze({ transport: MEMORY })

/** How many messages may wait for the other side before `send` makes the sender wait. */
const HIGH_WATER = 256

/** The two ends of a connection. Closing either ends both. */
export function createMemoryChannelPair(): [Channel, Channel] {
  const here = new MemoryChannel()
  const there = new MemoryChannel()
  here.peer = there
  there.peer = here
  return [here, there]
}

/** Cheaper on Node than `queueMicrotask`, which makes an async resource each time. */
const SETTLED = Promise.resolve()

class MemoryChannel implements Channel {
  peer!: MemoryChannel
  #receiver: Receiver | undefined
  readonly #inbox: string[] = []
  #read = 0
  #isDelivering = false
  #isClosed = false
  #drained: Deferred<void> | undefined

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw new Error('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = receiver
    if (this.#isClosed) receiver.closed()
    else this.#schedule()
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const text = encodeMessage(message)
    if (this.#isClosed) return Promise.reject(connectionClosed())
    return this.peer.#accept(text)
  }

  close(): void {
    this.#end()
    this.peer.#end()
  }

  #accept(text: string): Promise<void> | undefined {
    this.#inbox.push(text)
    this.#schedule()
    if (this.#inbox.length - this.#read < HIGH_WATER) return undefined
    this.#drained ??= createDeferred()
    return this.#drained.promise
  }

  #schedule(): void {
    if (this.#isDelivering || this.#receiver === undefined || this.#inbox.length === 0) return
    this.#isDelivering = true
    void SETTLED.then(this.#deliver)
  }

  /** Delivers what is there, as long as the receiver takes it. */
  readonly #deliver = (): void => {
    while (this.#read < this.#inbox.length && !this.#isClosed) {
      const text = this.#inbox[this.#read] as string
      this.#read += 1
      const pressure = this.#receiver?.message(JSON.parse(text), HINTS)
      if (pressure !== undefined) {
        void pressure.then(this.#deliver)
        return
      }
    }
    this.#inbox.length = 0
    this.#read = 0
    this.#isDelivering = false
    this.#drained?.resolve()
    this.#drained = undefined
  }

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#inbox.length = 0
    this.#read = 0
    this.#drained?.resolve()
    this.#receiver?.closed()
  }
}
