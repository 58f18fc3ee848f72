// A channel to another window over `postMessage`. Both the window and its origin are checked for every message.

import type { Channel, ReceiveHints, Receiver } from '../../../dispatcher/channel.ts'
import { EncodeError } from '../../../dispatcher/encode.ts'
import { connectionClosedError } from '../../../dispatcher/error-policy.ts'
import { isRequestId } from '../../../dispatcher/request-id.ts'
import { orderError, typeError } from '../../../primitives/help.ts'
import { copyJSON } from '../../../primitives/json/copy-json.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { checkKeys, checkLimit, type KnownKeys } from '../../../primitives/options.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { JSONRPC_VERSION, type JSONRPCBatch, type JSONRPCMessage } from '../../../types/protocol/jsonrpc.ts'
import { copyMessage } from './message-copy.ts'

/** The window at the other end, such as `iframe.contentWindow`. */
export interface PeerWindow {
  /** Sends a message to the other window. `window` has it. */
  postMessage(message: unknown, targetOrigin: string): void
}

/** What a window gets of a message. */
export interface WindowMessage {
  /** What was sent. */
  readonly data: unknown
  /** The origin of the sender. */
  readonly origin: string
  /** The window of the sender. */
  readonly source: unknown
}

/** The window that this code runs in. */
export interface OwnWindow {
  /** The origin of this window. */
  readonly origin?: string
  /** Starts listening to messages. `window` has it. */
  addEventListener(type: 'message', listener: (event: WindowMessage) => void): void
  /** Stops listening to messages. `window` has it. */
  removeEventListener(type: 'message', listener: (event: WindowMessage) => void): void
}

/** Options of `windowChannel()`. */
export interface WindowChannelOptions {
  /** The origin of the other window, as in `https://sandbox.example.com`. Messages go to it, and come from it, alone. */
  origin: string
  /** The window that receives the messages (default: this one). */
  self?: OwnWindow | undefined
  /** Maximum size of a message from the other window in bytes (default: 4 MiB). */
  maxMessageBytes?: number | undefined
}

export const WINDOW_CHANNEL_KEYS: KnownKeys<WindowChannelOptions> = {
  origin: 'string',
  self: true,
  maxMessageBytes: 'number',
}

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
/** Messages that wait while the receiver is busy. A window can't be told to send less. */
const MAX_WAITING = 1_024
const HINTS: ReceiveHints = Object.freeze({ transport: Object.freeze({ kind: 'window', canSendRequest: true }) })

/** A channel to another window. Throws `TypeError` for an origin that is none, and for the origin of this window. */
export function windowChannel(window: PeerWindow, options: WindowChannelOptions): Channel {
  checkKeys('windowChannel()', options, WINDOW_CHANNEL_KEYS)
  const self = options.self ?? (globalThis as unknown as OwnWindow)
  checkOrigin(options.origin, self.origin)
  if (typeof window?.postMessage !== 'function') {
    throw typeError(
      'wrong-argument',
      'windowChannel() needs a window, such as iframe.contentWindow of a frame in the document.',
    )
  }
  const maxBytes = checkLimit('maxMessageBytes', options.maxMessageBytes ?? MAX_MESSAGE_BYTES)
  return new WindowChannel(window, self, options.origin, maxBytes)
}

/** What `URL` takes for a host is more than what a policy and a script may safely contain. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** Throws `TypeError` for an origin that must not be the other window's. */
export function checkOrigin(origin: string, ownOrigin: string | undefined): void {
  if (!ORIGIN.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw typeError(
      'wrong-argument',
      `The origin ${JSON.stringify(origin)} is not one. Write it as in "https://sandbox.example.com".`,
    )
  }
  if (origin === ownOrigin) {
    throw typeError(
      'wrong-argument',
      `The origin ${origin} is the host's own, so the sandbox would protect nothing. Serve the sandbox page from another origin.`,
    )
  }
}

class WindowChannel implements Channel {
  readonly #window: PeerWindow
  readonly #self: OwnWindow
  readonly #origin: string
  readonly #maxBytes: number
  readonly #waiting: unknown[] = []
  #receiver: Receiver | undefined
  #isPaused = false
  #isClosed = false

  constructor(window: PeerWindow, self: OwnWindow, origin: string, maxBytes: number) {
    this.#window = window
    this.#self = self
    this.#origin = origin
    this.#maxBytes = maxBytes
  }

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw orderError('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = receiver
    if (this.#isClosed) receiver.closed()
    else this.#self.addEventListener('message', this.#onMessage)
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    if (this.#isClosed) return Promise.reject(connectionClosedError())
    let copy: unknown
    try {
      copy = copyJSON(message)
    } catch (cause) {
      throw new EncodeError('The message cannot be encoded as JSON', { cause })
    }
    this.#window.postMessage(copy, this.#origin)
    return undefined
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting.length = 0
    this.#self.removeEventListener('message', this.#onMessage)
    this.#receiver?.closed()
  }

  readonly #onMessage = ({ source, origin, data }: WindowMessage): void => {
    // A page gets messages of many windows. Those of others are none of our business.
    if (source !== this.#window) return
    if (origin === this.#origin) this.#take(data)
    else this.#report('A message came from another origin than that of the window')
  }

  #take(data: unknown): void {
    let message: unknown
    try {
      message = copyMessage(data, this.#maxBytes)
    } catch (error) {
      this.#refuse(data, (error as Error).message)
      return
    }
    if (!isPlainObject(message)) this.#report('A message is not an object')
    else if (!this.#isPaused) this.#deliver(message)
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(message)
    else this.#refuse(message, 'Too many messages wait')
  }

  #deliver(message: unknown): void {
    const pressure = this.#receiver?.message(message, HINTS)
    if (pressure === undefined) return
    this.#isPaused = true
    void pressure.then(this.#resume)
  }

  readonly #resume = (): void => {
    this.#isPaused = false
    while (!this.#isPaused && this.#waiting.length > 0) this.#deliver(this.#waiting.shift())
  }

  /** A request is answered, so that the other side does not wait for nothing. */
  #refuse(message: unknown, problem: string): void {
    this.#report(problem)
    if (!isPlainObject(message) || typeof message['method'] !== 'string' || !isRequestId(message['id'])) return
    const error = { code: ErrorCode.InvalidRequest, message: `Invalid request: ${problem}` }
    void this.send({ jsonrpc: JSONRPC_VERSION, id: message['id'], error })
  }

  #report(message: string): void {
    this.#receiver?.fault({ kind: 'invalid-message', message })
  }
}
