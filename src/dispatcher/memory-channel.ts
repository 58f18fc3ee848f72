// Two channels in one process, connected to each other; messages cross as JSON text, as they would on a pipe.

import { createDeferred, type Deferred } from '../primitives/async/promises.ts'
import { orderError } from '../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../types/protocol/jsonrpc.ts'
import type { Channel, ReceiveHints, Receiver, SendHints, TransportContext } from './channel.ts'
import { encodeMessage } from './encode.ts'
import { connectionClosedError } from './error-policy.ts'

const MEMORY: TransportContext = Object.freeze({ kind: 'memory', canSendRequest: true })
const HINTS: ReceiveHints = Object.freeze({ transport: MEMORY })
const RAISING_HINTS: ReceiveHints = Object.freeze({ transport: Object.freeze({ ...MEMORY, raisesExceptions: true }) })

const NO_LIMITS = Object.freeze({ maxBytes: Infinity, maxDepth: Infinity, maxElements: Infinity })

/** How many messages may wait for the other side before `send` makes the sender wait. */
const HIGH_WATER = 256

export interface MemoryChannelOptions {
  /** Let what a handler throws reach the caller as the `cause` of its error, though no JSON could carry it. For tests. */
  raiseExceptions?: boolean
}

export const MEMORY_CHANNEL_KEYS: KnownKeys<MemoryChannelOptions> = { raiseExceptions: true }

/** The two ends of a connection. Closing either ends both. */
export function createMemoryChannelPair(options: MemoryChannelOptions = {}): [Channel, Channel] {
  checkKeys('createMemoryChannelPair()', options, MEMORY_CHANNEL_KEYS)
  const hints = options.raiseExceptions === true ? RAISING_HINTS : HINTS
  const here = new MemoryChannel(hints)
  const there = new MemoryChannel(hints)
  here.peer = there
  there.peer = here
  return [here, there]
}

/** Cheaper on Node than `queueMicrotask`, which makes an async resource each time. */
const SETTLED = Promise.resolve()

/** A message under way, and what its error hides where the caller may know. */
type Parcel = string | { readonly text: string; readonly cause: unknown }

class MemoryChannel implements Channel {
  peer!: MemoryChannel
  readonly #hints: ReceiveHints
  #receiver: Receiver | undefined
  /** What has to wait: for `start`, or for a receiver that asked for a pause. */
  #waiting: Parcel[] = []
  #underWay = 0
  #isPaused = true
  #isClosed = false
  #drained: Deferred<void> | undefined

  constructor(hints: ReceiveHints) {
    this.#hints = hints
  }

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw orderError('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = receiver
    if (this.#isClosed) receiver.closed()
    else if (this.#waiting.length === 0) this.#isPaused = false
    else void SETTLED.then(this.#resume)
  }

  send(message: JSONRPCMessage | JSONRPCBatch, hints?: SendHints): Promise<void> | undefined {
    const text = encodeMessage(message)
    if (this.#isClosed) return Promise.reject(connectionClosedError())
    const isRaising = this.#hints === RAISING_HINTS && hints?.cause !== undefined
    return this.peer.#accept(isRaising ? { text, cause: hints.cause } : text)
  }

  close(): void {
    this.#end()
    this.peer.#end()
  }

  #accept(parcel: Parcel): Promise<void> | undefined {
    // While others are under way to a channel that has paused meanwhile, this one must stay behind them.
    if (this.#isPaused && this.#underWay === 0) {
      this.#waiting.push(parcel)
    } else {
      this.#underWay += 1
      // One job per message, so that each is handled in the asynchronous context of its sender.
      void SETTLED.then(() => this.#arrive(parcel))
    }
    if (this.#underWay + this.#waiting.length < HIGH_WATER) return undefined
    this.#drained ??= createDeferred()
    return this.#drained.promise
  }

  #arrive(parcel: Parcel): void {
    this.#underWay -= 1
    // Paused since it set out: it is behind those that wait, and those that set out after it come behind it.
    if (this.#isPaused) this.#waiting.push(parcel)
    else this.#deliver(parcel)
    this.#tellDrained()
  }

  #deliver(parcel: Parcel): void {
    if (this.#isClosed) return
    const pressure =
      typeof parcel === 'string'
        ? this.#receiver?.message(this.#parse(parcel), this.#hints)
        : this.#receiver?.message(this.#parse(parcel.text), { ...this.#hints, cause: parcel.cause })
    if (pressure === undefined) return
    this.#isPaused = true
    void pressure.then(this.#resume)
  }

  #parse(text: string): unknown {
    const decode = this.#receiver?.decode
    return decode === undefined ? JSON.parse(text) : decode(text, NO_LIMITS)
  }

  /** Delivers what waits, until the receiver asks for the next pause. */
  readonly #resume = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    this.#isPaused = false
    for (const [index, parcel] of waiting.entries()) {
      this.#deliver(parcel)
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
