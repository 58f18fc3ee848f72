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
  /** What has to wait: for `start`, or for a receiver that asked for a pause. */
  #waiting: string[] = []
  #underWay = 0
  #isPaused = true
  #isClosed = false
  #drained: Deferred<void> | undefined

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw new Error('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = receiver
    if (this.#isClosed) receiver.closed()
    else if (this.#waiting.length === 0) this.#isPaused = false
    else void SETTLED.then(this.#resume)
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
    // While others are under way to a channel that has paused meanwhile, this one must stay behind them.
    if (this.#isPaused && this.#underWay === 0) {
      this.#waiting.push(text)
    } else {
      this.#underWay += 1
      // One job per message, so that each is handled in the asynchronous context of its sender.
      void SETTLED.then(() => this.#arrive(text))
    }
    if (this.#underWay + this.#waiting.length < HIGH_WATER) return undefined
    this.#drained ??= createDeferred()
    return this.#drained.promise
  }

  #arrive(text: string): void {
    this.#underWay -= 1
    // Paused since it set out: it is behind those that wait, and those that set out after it come behind it.
    if (this.#isPaused) this.#waiting.push(text)
    else this.#deliver(text)
    this.#tellDrained()
  }

  #deliver(text: string): void {
    if (this.#isClosed) return
    const pressure = this.#receiver?.message(JSON.parse(text), HINTS)
    if (pressure === undefined) return
    this.#isPaused = true
    void pressure.then(this.#resume)
  }

  /** Delivers what waits, until the receiver asks for the next pause. */
  readonly #resume = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    this.#isPaused = false
    for (const [index, text] of waiting.entries()) {
      this.#deliver(text)
      if (!this.#isPaused) continue
      this.#waiting = [...waiting.slice(index + 1), ...this.#waiting]
      break
    }
    this.#tellDrained()
  }

  #tellDrained(): void {
    if (this.#drained === undefined || this.#underWay + this.#waiting.length >= HIGH_WATER) return
    this.#drained.resolve()
    this.#drained = undefined
  }

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting = []
    this.#drained?.resolve()
    this.#receiver?.closed()
  }
}
