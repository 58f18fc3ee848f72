// subscribeResource and unsubscribeResource, whichever era the connection speaks.
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { EmptyResult } from '../../types/protocol/base.ts'
import type { SessionInternals } from '../session/internals.ts'
import type { RequestOptions } from '../session/request-options.ts'
import type { ListenOptions } from './listen.ts'
import type { Subscription } from './subscription.ts'

type Listen = (filter: SubscriptionFilter, options: ListenOptions) => Promise<Subscription>

/** Of one open client. What changes is told to `onMessage`. */
export class ResourceSubscriptions {
  readonly #session: SessionInternals
  readonly #listen: Listen
  readonly #open = new Map<string, Promise<Subscription>>()
  /** On a legacy connection. */
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

  /** The server has a new session for us, which knows of no subscription. */
  async again(): Promise<void> {
    const resources = watchedResourcesOf(this.#session)
    const renewing = [...this.#watched].map(async (uri) => {
      await resources.watch(uri, this, {})
      // Somebody may have lost interest meanwhile.
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
    // The caller's signal is for the request alone: what it opens stays open.
    const opening = new AbortController()
    const follow = () => opening.abort(signal?.reason)
    signal?.throwIfAborted()
    signal?.addEventListener('abort', follow, { once: true })
    try {
      const subscription = await this.#listen({ resourceSubscriptions: [uri] }, { ...options, signal: opening.signal })
      if (subscription.honored.resourceSubscriptions?.includes(uri)) return subscription
      await subscription.close()
    } finally {
      signal?.removeEventListener('abort', follow)
    }
    const message = `The server does not tell of changes of the resource '${uri.slice(0, 256)}'`
    throw new MCPError(ErrorCode.InvalidParams, message, undefined, { local: true })
  }

  async #unsubscribeModern(uri: string): Promise<EmptyResult> {
    const opening = this.#open.get(uri)
    this.#open.delete(uri)
    const subscription = await opening?.catch(() => undefined)
    await subscription?.close()
    return {}
  }

  /** Whoever subscribed reads by `onMessage`; what waits here would only fill up. */
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
    const message = 'A subscription to a resource was lost; subscribe again to go on'
    this.#session.faults.report({ kind: 'notification-failed', message, error })
  }

  #forget(uri: string, opening: Promise<Subscription>): void {
    if (this.#open.get(uri) === opening) this.#open.delete(uri)
  }
}

// Who watches which resource over one legacy connection, where the server knows each of them once or not at all.

export type SubscribingSession = Pick<SessionInternals, 'request'>

/** Whoever watches: a subscription, or the caller of `subscribeResource`. */
export type Watcher = object

const resourcesOf = new WeakMap<object, WatchedResources>()

/** The one table of a session. */
export function watchedResourcesOf(session: SubscribingSession): WatchedResources {
  const known = resourcesOf.get(session)
  if (known !== undefined) return known
  const made = new WatchedResources(session)
  resourcesOf.set(session, made)
  return made
}

export class WatchedResources {
  readonly #session: SubscribingSession
  readonly #watchers = new Map<string, Set<Watcher>>()

  constructor(session: SubscribingSession) {
    this.#session = session
  }

  /** Rejects where the server refuses, and nobody watches for that. */
  async watch(uri: string, watcher: Watcher, options?: RequestOptions): Promise<EmptyResult> {
    const result = await this.#session.request('resources/subscribe', { uri }, options)
    const watchers = this.#watchers.get(uri)
    if (watchers === undefined) this.#watchers.set(uri, new Set([watcher]))
    else watchers.add(watcher)
    return result as EmptyResult
  }

  /** Tells the server only when nobody else watches. */
  async unwatch(uri: string, watcher: Watcher, options?: RequestOptions): Promise<EmptyResult> {
    const watchers = this.#watchers.get(uri)
    watchers?.delete(watcher)
    if (watchers !== undefined && watchers.size > 0) return {}
    this.#watchers.delete(uri)
    return (await this.#session.request('resources/unsubscribe', { uri }, options)) as EmptyResult
  }
}
