// Brings what belongs to a subscription to it, on the receive path itself: an answer must not overtake the events before it.
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { SubscriptionLost } from '../../types/errors/failures.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../../types/protocol/meta.ts'

/** Where the messages of one `subscriptions/listen` go. Called in order of arrival; must neither wait nor throw. */
export interface SubscriptionRoute extends ChangeRoute {
  /** The server's first word: the part of the filter that it grants. */
  acknowledged(filter: SubscriptionFilter): void
}

/** Where changes go. Called in order of arrival; must neither wait nor throw. */
export interface ChangeRoute {
  /** A change, as the checked notification that told of it. */
  event(method: string, params: JSONObject): void
  /** The server cancelled the subscription, or the session has ended. Nothing comes after this. */
  lost(reason: SubscriptionLost): void
}

/** What became of a notification that was offered to the routes. */
export type Routing = 'not-ours' | 'event' | 'consumed'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

export class SubscriptionRoutes {
  readonly #routes = new Map<RequestId, SubscriptionRoute>()
  /** Those that are told of everything, because nothing on a legacy connection says whom it is for. */
  readonly #changes = new Set<ChangeRoute>()
  #isClosed = false

  /** Opens a route, which has to be done before its request is sent. Returns how to take it away again. */
  add(id: RequestId, route: SubscriptionRoute): () => void {
    const key = correlationKey(id)
    if (this.#routes.has(key)) throw new RangeError(`A subscription with the id ${JSON.stringify(id)} is open already`)
    if (this.#isClosed) {
      route.lost(sessionEnded())
      return () => {}
    }
    this.#routes.set(key, route)
    return () => {
      if (this.#routes.get(key) === route) this.#routes.delete(key)
    }
  }

  /** Opens a route for the changes of a legacy connection. Returns how to take it away again. */
  addChanges(route: ChangeRoute): () => void {
    if (this.#isClosed) {
      route.lost(sessionEnded())
      return () => {}
    }
    this.#changes.add(route)
    return () => this.#changes.delete(route)
  }

  /** Delivers a notification that carries the id of an open subscription. */
  deliver(method: string, params: JSONObject | undefined): Routing {
    for (const route of this.#changes) route.event(method, params ?? {})
    const route = this.#routeTagged(params)
    if (route === undefined || params === undefined) return 'not-ours'
    if (method !== ACKNOWLEDGED) {
      route.event(method, params)
      return 'event'
    }
    route.acknowledged(params['notifications'] as SubscriptionFilter)
    return 'consumed'
  }

  /** Spec, Cancellation: since 2026-07-28 a server cancels nothing but a subscription. */
  cancel(params: JSONObject | undefined): void {
    const id = params?.['requestId']
    if (!isRequestId(id)) return
    const route = this.#routes.get(correlationKey(id))
    if (route === undefined) return
    this.#routes.delete(correlationKey(id))
    route.lost(new SubscriptionLost('The server cancelled the subscription; listen again to go on'))
  }

  /** The session is over, and with it every subscription. */
  close(): void {
    this.#isClosed = true
    const routes = [...this.#routes.values(), ...this.#changes]
    this.#routes.clear()
    this.#changes.clear()
    for (const route of routes) route.lost(sessionEnded())
  }

  #routeTagged(params: JSONObject | undefined): SubscriptionRoute | undefined {
    if (this.#routes.size === 0) return undefined
    const meta = params?.['_meta']
    if (!isPlainObject(meta) || !Object.hasOwn(meta, SUBSCRIPTION_ID_META_KEY)) return undefined
    const id = meta[SUBSCRIPTION_ID_META_KEY]
    return isRequestId(id) ? this.#routes.get(correlationKey(id)) : undefined
  }
}

function sessionEnded(): SubscriptionLost {
  return new SubscriptionLost('The session has ended, and the subscription with it; connect again to listen')
}
