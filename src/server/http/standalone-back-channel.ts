// The way back that belongs to no request, over HTTP: open only while the client listens or may still begin to.
import type { SendHints } from '../../dispatcher/channel.ts'
import type { CallOptions, Outbound } from '../../dispatcher/dispatcher.ts'
import { NoBackChannelError } from '../../types/errors.ts'
import type { JSONObject } from '../../types/json.ts'
import type { BackChannel } from '../outbound.ts'

/** Whether a request that belongs to none of the client's could be read at all. */
export interface Reach {
  readonly canReachClient: boolean
}

export class StandaloneBackChannel implements BackChannel {
  readonly #outbound: Outbound
  readonly #reach: Reach

  constructor(outbound: Outbound, reach: Reach) {
    this.#outbound = outbound
    this.#reach = reach
  }

  get canSendRequest(): boolean {
    return this.#reach.canReachClient
  }

  sendRawRequest(method: string, params?: JSONObject, options?: CallOptions): Promise<JSONObject> {
    // At once, rather than when the request has timed out with nobody listening.
    if (!this.canSendRequest) return Promise.reject(new NoBackChannelError(method))
    return this.#outbound.sendRawRequest(method, params, options)
  }

  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void> {
    return this.#outbound.notify(method, params, hints)
  }
}
