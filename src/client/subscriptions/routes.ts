// Delivers notifications to open subscriptions as they are received, so that a response never overtakes an event before it.

import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { rangeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { SubscriptionLost } from '../../types/errors/failures.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../../types/protocol/meta.ts'
import type { Subscription } from './subscription.ts'

/** Receives the messages of one `subscriptions/listen`. Called in order of arrival; must neither wait nor throw. */
export interface SubscriptionRoute extends ChangeRoute {
  /** `undefined` until the server has acknowledged it. */
  readonly subscription: Subscription | undefined
  /** The server's first message: the part of the filter that it grants. */
  acknowledged(filter: SubscriptionFilter): void
}

/** Receives changes. Called in order of arrival; must neither wait nor throw. */
export interface ChangeRoute {
  /** A change, as the checked notification that announced it. */
  event(method: string, params: JSONObject): void
  /** No event follows: the server cancelled the subscription, the session has ended, or notifications no longer arrive. */
  lost(reason: SubscriptionLost): void
  /** No event follows, because the user has closed the client or the session. */
  ended(): void
}

/** What became of a notification that was offered to the routes. */
export type Routing = 'not-ours' | 'event' | 'consumed'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

export class SubscriptionRoutes {
  readonly #routes = new Map<RequestId, SubscriptionRoute>()
  /** These get every change, because a legacy notification does not name its subscription. */
  readonly #changes = new Set<ChangeRoute>()
  #isClosed = false
  /** Why the legacy connection brings no more notifications. */
  #changesLost: SubscriptionLost | undefined

  /** Adds a route, before its request is sent. Returns a function that removes it. */
  add(id: RequestId, route: SubscriptionRoute): () => void {
    const key = correlationKey(id)
    if (this.#routes.has(key))
      throw rangeError('wrong-argument', `A subscription with the id ${JSON.stringify(id)} is already open`)
    if (this.#isClosed) {
      route.lost(sessionEnded())
      return () => {}
    }
    this.#routes.set(key, route)
    return () => {
      if (this.#routes.get(key) === route) this.#routes.delete(key)
    }
  }

  /** Adds a route for the changes of a legacy connection. Returns a function that removes it. */
  addChanges(route: ChangeRoute): () => void {
    const reason = this.#isClosed ? sessionEnded() : this.#changesLost
    if (reason !== undefined) {
      route.lost(reason)
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

  /** The open subscription whose id a notification carries. */
  subscriptionOf(params: JSONObject | undefined): Subscription | undefined {
    return this.#routeTagged(params)?.subscription
  }

  /** Spec, Cancellation: since 2026-07-28 a server cancels only subscriptions. */
  cancel(params: JSONObject | undefined): void {
    const id = params?.['requestId']
    if (!isRequestId(id)) return
    const route = this.#routes.get(correlationKey(id))
    if (route === undefined) return
    this.#routes.delete(correlationKey(id))
    route.lost(new SubscriptionLost('The server cancelled the subscription. Listen again to continue.'))
  }

  /** Notifications of the legacy connection no longer arrive, although requests still work. */
  loseChanges(cause: Error): void {
    const message =
      "The stream with the server's notifications was lost and is not reopened. Connect again to listen, or allow `reconnect`."
    const reason = new SubscriptionLost(message, { cause })
    this.#changesLost = reason
    this.#endChanges(reason)
  }

  /** A new session brings notifications again. */
  restoreChanges(): void {
    this.#changesLost = undefined
  }

  /** The session has ended, and with it every subscription. */
  close(): void {
    for (const route of this.#takeAll()) route.lost(sessionEnded())
  }

  /** The same where the user wanted it so: nothing is lost. */
  end(): void {
    for (const route of this.#takeAll()) route.ended()
  }

  #takeAll(): readonly ChangeRoute[] {
    this.#isClosed = true
    const routes = [...this.#routes.values(), ...this.#changes]
    this.#routes.clear()
    this.#changes.clear()
    return routes
  }

  #endChanges(reason: SubscriptionLost): void {
    const routes = [...this.#changes]
    this.#changes.clear()
    for (const route of routes) route.lost(reason)
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
  return new SubscriptionLost('The session has ended, and the subscription with it. Connect again to listen.')
}
