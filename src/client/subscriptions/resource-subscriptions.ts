// subscribeResource and unsubscribeResource in both eras, and who has subscribed which resource on a legacy connection.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { EmptyResult } from '../../types/protocol/base.ts'
import type { SessionInternals } from '../session/internals.ts'
import type { RequestOptions } from '../session/request-options.ts'
import type { ListenOptions } from './listen.ts'
import type { Subscription } from './subscription.ts'

type Listen = (filter: SubscriptionFilter, options: ListenOptions) => Promise<Subscription>

/** The resource subscriptions of one open client, whose changes go to `onMessage`. */
export class ResourceSubscriptions {
  readonly #session: SessionInternals
  readonly #listen: Listen
  readonly #open = new Map<string, Promise<Subscription>>()
  /** URIs on a legacy connection. */
  readonly #watched = new Set<string>()

  constructor(session: SessionInternals, listen: Listen) {
    this.#session = session
    this.#listen = listen
  }

  subscribe(uri: string, options: RequestOptions = {}): Promise<EmptyResult> {
    if (!this.#session.isModern) return this.#watch(uri, options)
    return this.#subscribeModern(uri, options)
  }

  unsubscribe(uri: string, options: RequestOptions = {}): Promise<EmptyResult> {
    if (this.#session.isModern) return this.#unsubscribeModern(uri)
    this.#watched.delete(uri)
    return watchedResourcesOf(this.#session).unwatch(uri, this, options)
  }

  /** The new session has no subscriptions yet. */
  async resubscribe(): Promise<void> {
    const resources = watchedResourcesOf(this.#session)
    const renewing = [...this.#watched].map(async (uri) => {
      await resources.watch(uri, this, {})
      // The caller may have unsubscribed meanwhile.
      if (!this.#watched.has(uri)) await resources.unwatch(uri, this, {})
    })
    const outcomes = await Promise.allSettled(renewing)
    for (const outcome of outcomes) if (outcome.status === 'rejected') this.#reportLost(outcome.reason)
  }

  async #watch(uri: string, options: RequestOptions): Promise<EmptyResult> {
    const result = await watchedResourcesOf(this.#session).watch(uri, this, options)
    this.#watched.add(uri)
    return result
  }

  async #subscribeModern(uri: string, { signal, timeoutMs, maxTotalMs, meta }: RequestOptions): Promise<EmptyResult> {
    const known = this.#open.get(uri)
    if (known !== undefined) return known.then(() => ({}))
    const limitMs = Math.min(timeoutMs ?? Infinity, maxTotalMs ?? Infinity)
    const opening = this.#listenTo(uri, {
      ...(signal && { signal }),
      ...(limitMs !== Infinity && { timeoutMs: limitMs }),
      ...(meta && { meta }),
    })
    this.#open.set(uri, opening)
    try {
      void this.#drain(uri, opening, await opening)
      return {}
    } catch (error) {
      this.#forget(uri, opening)
      throw error
    }
  }

  async #listenTo(uri: string, { signal, ...options }: ListenOptions): Promise<Subscription> {
    // The caller's signal is for the request alone, not for the subscription that it opens.
    const opening = new AbortController()
    const follow = () => opening.abort(signal?.reason)
    signal?.throwIfAborted()
    if (signal !== undefined) listenForAbort(signal, follow)
    try {
      const subscription = await this.#listen({ resourceSubscriptions: [uri] }, { ...options, signal: opening.signal })
      if (subscription.honored.resourceSubscriptions?.includes(uri)) return subscription
      await subscription.close()
    } finally {
      if (signal !== undefined) forgetAbort(signal, follow)
    }
    const message = `The server does not announce changes of the resource '${uri.slice(0, 256)}'`
    throw new MCPError(ErrorCode.InvalidParams, message, undefined, { local: true })
  }

  async #unsubscribeModern(uri: string): Promise<EmptyResult> {
    const opening = this.#open.get(uri)
    this.#open.delete(uri)
    const subscription = await opening?.catch(() => undefined)
    await subscription?.close()
    return {}
  }

  /** The caller gets the changes by `onMessage`; here they would only fill the queue. */
  async #drain(uri: string, opening: Promise<Subscription>, subscription: Subscription): Promise<void> {
    try {
      for await (const _event of subscription);
    } catch (error) {
      this.#reportLost(error)
    } finally {
      this.#forget(uri, opening)
    }
  }

  #reportLost(error: unknown): void {
    if (this.#session.endSignal.aborted) return
    const message = 'A subscription to a resource was lost. Subscribe again to continue.'
    this.#session.faults.report({ kind: 'notification-failed', message, error })
  }

  #forget(uri: string, opening: Promise<Subscription>): void {
    if (this.#open.get(uri) === opening) this.#open.delete(uri)
  }
}

export type SubscribingSession = Pick<SessionInternals, 'request'>

/** A subscription, or the client for its `subscribeResource`. */
export type Watcher = object

const resourcesOf = new WeakMap<object, WatchedResources>()

/** The table of a session. */
export function watchedResourcesOf(session: SubscribingSession): WatchedResources {
  const known = resourcesOf.get(session)
  if (known !== undefined) return known
  const created = new WatchedResources(session)
  resourcesOf.set(session, created)
  return created
}

/** A legacy server knows a subscription once or not at all, however many watchers a resource has. */
export class WatchedResources {
  readonly #session: SubscribingSession
  readonly #watchers = new Map<string, Set<Watcher>>()

  constructor(session: SubscribingSession) {
    this.#session = session
  }

  /** Rejects where the server does; the watcher is then not added. */
  async watch(uri: string, watcher: Watcher, options?: RequestOptions): Promise<EmptyResult> {
    const result = await this.#session.request('resources/subscribe', { uri }, options)
    const watchers = this.#watchers.get(uri)
    if (watchers === undefined) this.#watchers.set(uri, new Set([watcher]))
    else watchers.add(watcher)
    return result as EmptyResult
  }

  /** Unsubscribes on the server with the last watcher. */
  async unwatch(uri: string, watcher: Watcher, options?: RequestOptions): Promise<EmptyResult> {
    const watchers = this.#watchers.get(uri)
    watchers?.delete(watcher)
    if (watchers !== undefined && watchers.size > 0) return {}
    this.#watchers.delete(uri)
    return (await this.#session.request('resources/unsubscribe', { uri }, options)) as EmptyResult
  }
}
