// Who watches which resource over one legacy connection, where the server knows each of them once or not at all.
import type { EmptyResult } from '../../types/protocol/base.ts'
import type { RequestOptions } from '../session/request-options.ts'
import type { ClientSession } from '../session/session.ts'

export type SubscribingSession = Pick<ClientSession, 'subscribeResource' | 'unsubscribeResource'>

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
    const result = await this.#session.subscribeResource(uri, options)
    const watchers = this.#watchers.get(uri)
    if (watchers === undefined) this.#watchers.set(uri, new Set([watcher]))
    else watchers.add(watcher)
    return result
  }

  /** Tells the server only when nobody else watches. */
  async unwatch(uri: string, watcher: Watcher, options?: RequestOptions): Promise<EmptyResult> {
    const watchers = this.#watchers.get(uri)
    watchers?.delete(watcher)
    if (watchers !== undefined && watchers.size > 0) return {}
    this.#watchers.delete(uri)
    return this.#session.unsubscribeResource(uri, options)
  }
}
