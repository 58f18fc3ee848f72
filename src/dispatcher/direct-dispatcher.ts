// Two peers in one process: a call is a call of the other side's handler. No text is made of messages, but neither side gets
// objects that are the other's.
import { copyJSON } from '../primitives/json/copy-json.ts'
import { isPrepared } from '../primitives/json/prepared-json.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ErrorData, RequestId } from '../types/protocol/jsonrpc.ts'
import type { SendHints, TransportContext } from './channel.ts'
import {
  type CallOptions,
  type CloseOptions,
  DISPATCHER_KEYS,
  type Dispatcher,
  type DispatcherOptions,
  type OnNotify,
  type OnRequest,
} from './dispatcher.ts'
import { EncodeError } from './encode.ts'
import { type Link, RpcConnection } from './rpc-connection.ts'

/** Options of `createDirectDispatcherPair()`. */
export interface DirectDispatcherOptions extends DispatcherOptions {
  /** What handlers on this side read as `context.transport`. */
  transport?: TransportContext | undefined
  /** Let an unexpected exception of a handler on this side reach the caller as `cause`, for tests (default: `false`). */
  raiseExceptions?: boolean | undefined
}

export const DIRECT_DISPATCHER_KEYS: KnownKeys<DirectDispatcherOptions> = {
  ...DISPATCHER_KEYS,
  transport: true,
  raiseExceptions: true,
}

const IN_PROCESS: TransportContext = Object.freeze({ kind: 'in-process', canSendRequest: true })

/** Two connected dispatchers. What one sends, the other receives at once, or as soon as it runs. */
export function createDirectDispatcherPair(
  options: DirectDispatcherOptions = {},
  peerOptions: DirectDispatcherOptions = options,
): [Dispatcher, Dispatcher] {
  for (const given of [options, peerOptions]) checkKeys('createDirectDispatcherPair()', given, DIRECT_DISPATCHER_KEYS)
  const here = new DirectDispatcher(options)
  const there = new DirectDispatcher(peerOptions)
  here.link.peer = there
  there.link.peer = here
  return [here, there]
}

class DirectDispatcher implements Dispatcher {
  readonly link: DirectLink
  readonly rpc: RpcConnection
  readonly transport: TransportContext
  /** What arrived before `run()`, and what came while that was being delivered. */
  readonly #early: (() => Promise<void> | undefined)[] = []

  constructor(options: DirectDispatcherOptions) {
    this.transport = options.transport ?? IN_PROCESS
    this.link = new DirectLink(options.raiseExceptions ?? false)
    this.rpc = new RpcConnection(this.link, options)
  }

  async run(onRequest: OnRequest, onNotify: OnNotify): Promise<void> {
    this.rpc.open(onRequest, onNotify)
    for (const deliver of this.#early) void deliver()
    this.#early.length = 0
    return this.rpc.ended
  }

  /** Delivers when this side runs. */
  whenRunning(deliver: () => Promise<void> | undefined): void {
    this.#early.push(deliver)
  }

  /** Whether it delivers now, and nothing that came before waits. */
  get isRunning(): boolean {
    return this.#early.length === 0 && !this.rpc.isNew
  }

  sendRawRequest(method: string, params?: JSONObject, options?: CallOptions): Promise<JSONObject> {
    return this.rpc.sendRawRequest(method, params, options)
  }

  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void> {
    return this.rpc.notify(method, params, hints)
  }

  close(options?: CloseOptions): Promise<void> {
    return this.rpc.close(options)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Hands everything to the peer's connection. */
class DirectLink implements Link {
  peer!: DirectDispatcher
  readonly #raiseExceptions: boolean

  constructor(raiseExceptions: boolean) {
    this.#raiseExceptions = raiseExceptions
  }

  sendRequest(id: RequestId, method: string, params: JSONObject, hints?: SendHints): Promise<void> | undefined {
    const { peer } = this
    const received = asReceived(params)
    if (peer.isRunning) return peer.rpc.receiveRequest(id, method, received, this.#received(hints))
    peer.whenRunning(() => peer.rpc.receiveRequest(id, method, received, this.#received(hints)))
    return undefined
  }

  sendNotification(method: string, params: JSONObject | undefined, hints?: SendHints): Promise<void> | undefined {
    const { peer } = this
    const received = asReceived(params)
    if (peer.isRunning) return peer.rpc.receiveNotification(method, received, this.#received(hints))
    peer.whenRunning(() => peer.rpc.receiveNotification(method, received, this.#received(hints)))
    return undefined
  }

  sendResult(id: RequestId, result: JSONObject): undefined {
    this.peer.rpc.receiveResult(id, asReceived(result))
  }

  sendError(id: RequestId | undefined, error: ErrorData, cause?: unknown): undefined {
    if (id === undefined) return
    this.peer.rpc.receiveError(id, asReceived(error), this.#raiseExceptions ? cause : undefined)
  }

  close(): void {
    this.peer.rpc.linkClosed()
  }

  #received(hints: SendHints | undefined) {
    const { transport } = this.peer
    return hints?.relatedRequestId === undefined
      ? { transport }
      : { transport, relatedRequestId: hints.relatedRequestId }
  }
}

/** What a peer behind a wire would read. What is prepared stays as it is: nobody can write on it. */
function asReceived<T>(sent: T): T {
  if (isPrepared(sent)) return sent
  try {
    return copyJSON(sent)
  } catch (cause) {
    throw new EncodeError('The message cannot be encoded as JSON', { cause })
  }
}
