// A subscription on a legacy connection: the server's own announcements, and one resources/subscribe per resource beneath it.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { ListenNotSupportedError, type SubscriptionLost } from '../../types/errors/failures.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import type { SessionInternals } from '../session/internals.ts'
import type { RequestOptions } from '../session/request-options.ts'
import { type WatchedResources, watchedResourcesOf } from './resource-subscriptions.ts'
import type { ChangeRoute } from './routes.ts'
import { commonTo, eventOf, type ServerEvent } from './server-events.ts'
import { Subscription } from './subscription.ts'

export type LegacyListeningSession = Pick<SessionInternals, 'request' | 'routes' | 'serverCapabilities' | 'faults'>

export interface LegacyListenOptions extends Pick<RequestOptions, 'signal' | 'timeoutMs' | 'meta'> {
  /** Goes by the same number as in the modern era, where it is an id on the wire. */
  id: string
  version: ProtocolVersion
  beforeEvent?: ((event: ServerEvent) => Promise<void>) | undefined
  /** Calls back when the server has forgotten the session, and with it what was subscribed to; returns how to stop that. */
  onRenewed?: ((again: () => void) => () => void) | undefined
}

/** Resolves once the server has taken every subscription, or refused it. */
export async function listenLegacy(
  session: LegacyListeningSession,
  requested: SubscriptionFilter,
  options: LegacyListenOptions,
): Promise<Subscription> {
  const offered = offeredBy(session, requested)
  if (offered === undefined) throw new ListenNotSupportedError(options.version)
  const listening = new LegacyListening(session, requested, options)
  return listening.open(offered)
}

/** The part of a filter that the server says it can tell of; `undefined` where it never tells of anything. */
function offeredBy(
  { serverCapabilities }: LegacyListeningSession,
  requested: SubscriptionFilter,
): SubscriptionFilter | undefined {
  const { tools, prompts, resources } = serverCapabilities ?? {}
  const offered: SubscriptionFilter = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  }
  if (Object.keys(offered).length === 0 && !resources?.subscribe) return undefined
  const { resourceSubscriptions: uris = [] } = requested
  return commonTo(requested, resources?.subscribe ? { ...offered, resourceSubscriptions: uris } : offered)
}

class LegacyListening implements ChangeRoute {
  readonly #session: LegacyListeningSession
  readonly #resources: WatchedResources
  readonly #requested: SubscriptionFilter
  readonly #options: LegacyListenOptions
  readonly #abort = () => this.#subscription?.abort(this.#options.signal?.reason)
  #watched: readonly string[] = []
  #subscription: Subscription | undefined
  #stop = () => {}

  constructor(session: LegacyListeningSession, requested: SubscriptionFilter, options: LegacyListenOptions) {
    this.#session = session
    this.#resources = watchedResourcesOf(session)
    this.#requested = requested
    this.#options = options
  }

  async open(offered: SubscriptionFilter): Promise<Subscription> {
    const { signal, timeoutMs, meta, id, beforeEvent, onRenewed } = this.#options
    // Before anything is subscribed to, so that no change falls between the two.
    const early: [string, JSONObject][] = []
    const unroute = this.#session.routes.addChanges({ event: (...told) => void early.push(told), lost: () => {} })
    try {
      const limits = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }), ...(meta && { meta }) }
      const honored = await this.#watchAll(offered, limits)
      const subscription = new Subscription({
        id,
        requested: this.#requested,
        honored,
        beforeEvent,
        onClose: () => this.#close(),
      })
      this.#subscription = subscription
      const stopRouting = this.#session.routes.addChanges(this)
      const stopRenewing = onRenewed?.(() => void this.#again(offered))
      if (signal !== undefined) listenForAbort(signal, this.#abort)
      this.#stop = () => {
        stopRouting()
        stopRenewing?.()
        if (signal !== undefined) forgetAbort(signal, this.#abort)
      }
      for (const [method, params] of early) this.event(method, params)
      return subscription
    } catch (error) {
      this.#unwatchAll()
      throw error
    } finally {
      unroute()
    }
  }

  event(method: string, params: JSONObject): void {
    const event = eventOf(method, params)
    if (event === undefined) return
    // Other subscriptions over the same connection may be about other resources.
    if (event.type === 'resourceUpdated' && !this.#watched.some((uri) => isBelow(event.uri, uri))) return
    this.#subscription?.receive(event)
  }

  lost(reason: SubscriptionLost): void {
    this.#stop()
    this.#subscription?.lose(reason)
  }

  /** The server has a new session for us, which knows of no subscription. */
  async #again(offered: SubscriptionFilter): Promise<void> {
    const { id } = this.#options
    try {
      const honored = await this.#watchAll(offered, {})
      if (this.#subscription?.isClosed === false) this.#subscription.reopened(id, honored)
      else this.#unwatchAll()
    } catch (error) {
      const message = 'A subscription could not be made again on a new session'
      this.#session.faults.report({ kind: 'notification-failed', message, error })
    }
  }

  /** What the server refuses is not granted; anything else that goes wrong is the failure of all. */
  async #watchAll(offered: SubscriptionFilter, options: RequestOptions): Promise<SubscriptionFilter> {
    const { resourceSubscriptions: uris = [], ...lists } = offered
    const watching = uris.map(async (uri) => {
      try {
        await this.#resources.watch(uri, this, options)
        this.#watched = [...this.#watched.filter((each) => each !== uri), uri]
      } catch (error) {
        if (!(error instanceof MCPError) || error.local) throw error
      }
    })
    const outcomes = await Promise.allSettled(watching)
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    return this.#watched.length === 0 ? lists : { ...lists, resourceSubscriptions: [...this.#watched] }
  }

  #close(): void {
    this.#stop()
    this.#unwatchAll()
  }

  #unwatchAll(): void {
    for (const uri of this.#watched) {
      this.#resources.unwatch(uri, this).catch((error: unknown) => {
        if (error instanceof MCPError && error.local) return
        const message = 'The server refused to end a subscription'
        this.#session.faults.report({ kind: 'notification-failed', message, error })
      })
    }
    this.#watched = []
  }
}

/** An update may name something below a watched resource. */
function isBelow(uri: string, watched: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`)
}
