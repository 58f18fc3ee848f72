// What a server sends to a client by: with or without requests, with or without a request that it belongs to.
import type { SendHints } from '../dispatcher/channel.ts'
import type { AbortListener, CallOptions, DispatchContext, Outbound } from '../dispatcher/dispatcher.ts'
import { NoBackChannelError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'

/** Sends to a client, and says whether it can send requests. */
export interface BackChannel extends Outbound {
  readonly canSendRequest: boolean
}

/** Nothing can be sent: requests fail at once, notifications are dropped. */
export const NO_BACK_CHANNEL: BackChannel = {
  canSendRequest: false,
  sendRawRequest: (method) => Promise.reject(new NoBackChannelError(method)),
  notify: () => Promise.resolve(),
}

/** Whether a client can read a request that belongs to none of its own. */
export interface Reach {
  readonly canReachClient: boolean
}

const ALWAYS: Reach = Object.freeze({ canReachClient: true })

/** Sends to a legacy client outside of any request. */
export class StandaloneChannel implements BackChannel {
  readonly #outbound: Outbound
  readonly #reach: Reach

  constructor(outbound: Outbound, reach: Reach = ALWAYS) {
    this.#outbound = outbound
    this.#reach = reach
  }

  get canSendRequest(): boolean {
    return this.#reach.canReachClient
  }

  sendRawRequest(method: string, params?: JSONObject, options?: CallOptions): Promise<JSONObject> {
    // At once, instead of a timeout.
    if (!this.canSendRequest) return Promise.reject(new NoBackChannelError(method))
    return this.#outbound.sendRawRequest(method, params, options)
  }

  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void> {
    return this.#outbound.notify(method, params, hints)
  }
}

/** The context of a request whose client takes no requests from a server, but takes notifications. */
export function toNotifyOnly(context: DispatchContext): DispatchContext {
  // In process nothing else is possible, and what is possible never changes.
  return context.transport.canSendRequest ? new NotifyOnlyContext(context) : context
}

class NotifyOnlyContext implements DispatchContext {
  readonly #context: DispatchContext

  constructor(context: DispatchContext) {
    this.#context = context
  }

  get requestId() {
    return this.#context.requestId
  }

  get relatedRequestId() {
    return this.#context.relatedRequestId
  }

  get transport() {
    return this.#context.transport
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }

  onAbort(listener: AbortListener): void {
    this.#context.onAbort(listener)
  }

  get canSendRequest(): boolean {
    return false
  }

  sendRawRequest(method: string, _params?: JSONObject, _options?: CallOptions): Promise<JSONObject> {
    return Promise.reject(new NoBackChannelError(method))
  }

  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void> {
    return this.#context.notify(method, params, hints)
  }

  reportProgress(progress: number, total?: number, message?: string): Promise<void> {
    return this.#context.reportProgress(progress, total, message)
  }

  async keepAlive(): Promise<void> {
    await this.#context.keepAlive?.()
  }
}
