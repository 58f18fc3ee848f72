// The ways back to a client. That one carries less than another is a property of what was installed, never a flag.
import type { SendHints } from '../dispatcher/channel.ts'
import type { AbortListener, CallOptions, DispatchContext, Outbound } from '../dispatcher/dispatcher.ts'
import { NoBackChannelError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'

/** A way back that also says whether requests can take it. */
export interface BackChannel extends Outbound {
  readonly canSendRequest: boolean
}

/** No way back at all: requests fail at once, notifications are dropped. */
export const NO_BACK_CHANNEL: BackChannel = {
  canSendRequest: false,
  sendRawRequest: (method) => Promise.reject(new NoBackChannelError(method)),
  notify: () => Promise.resolve(),
}

/** The way back of a connection whose peer takes requests at any time. */
export function standaloneChannel(outbound: Outbound): BackChannel {
  return {
    canSendRequest: true,
    sendRawRequest: (method, params, options) => outbound.sendRawRequest(method, params, options),
    notify: (method, params, hints) => outbound.notify(method, params, hints),
  }
}

/** The context of a request whose client takes no requests from a server: notifications still reach it. */
export class NotifyOnlyContext implements DispatchContext {
  readonly #context: DispatchContext

  constructor(context: DispatchContext) {
    this.#context = context
  }

  get requestId() {
    return this.#context.requestId
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
}
