// A subscription on a legacy connection: the server's list-changed notifications, and one resources/subscribe per resource.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { ListenNotSupportedError, type SubscriptionLost } from '../../types/errors/failures.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import type { SessionInternals } from '../session/internals.ts'
import type { RequestOptions } from '../session/request-options.ts'
import { type CheckedFilter, extensionMembers, intersectFilters } from './filters.ts'
import type { ListenHooks } from './listen.ts'
import { type WatchedResources, watchedResourcesOf } from './resource-subscriptions.ts'
import type { ChangeRoute } from './routes.ts'
import { toServerEvent } from './server-events.ts'
import { EventSubscription, type Subscription } from './subscription.ts'

export type LegacyListeningSession = Pick<
  SessionInternals,
  'request' | 'routes' | 'serverCapabilities' | 'faults' | 'filters'
>

export interface LegacyListenOptions extends Pick<RequestOptions, 'signal' | 'timeoutMs' | 'meta'>, ListenHooks {
  /** Counted as in the modern era, where it is the id of the request. */
  id: string
  version: ProtocolVersion
}

/** Resolves once the server has accepted or rejected every subscription. */
export async function listenLegacy(
  session: LegacyListeningSession,
  requested: CheckedFilter,
  options: LegacyListenOptions,
): Promise<Subscription> {
  const [foreign] = extensionMembers(requested)
  if (foreign !== undefined) throw needsModern(foreign, options.version)
  const offered = offeredBy(session, requested)
  if (offered === undefined) throw new ListenNotSupportedError(options.version)
  const listening = new LegacyListening(session, requested, options)
  return listening.open(offered)
}

/** The part of a filter that the server's capabilities offer; `undefined` where they offer no notifications at all. */
function offeredBy(
  { serverCapabilities }: LegacyListeningSession,
  requested: CheckedFilter,
): CheckedFilter | undefined {
  const { tools, prompts, resources } = serverCapabilities ?? {}
  const offered: SubscriptionFilter = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  }
  if (Object.keys(offered).length === 0 && !resources?.subscribe) return undefined
  const { resourceSubscriptions: uris = [] } = requested
  return intersectFilters(requested, resources?.subscribe ? { ...offered, resourceSubscriptions: uris } : offered)
}

class LegacyListening implements ChangeRoute {
  readonly #session: LegacyListeningSession
  readonly #resources: WatchedResources
  readonly #requested: CheckedFilter
  readonly #options: LegacyListenOptions
  readonly #abort = () => this.#subscription?.abort(this.#options.signal?.reason)
  #watched: readonly string[] = []
  #subscription: EventSubscription | undefined
  #stop = () => {}

  constructor(session: LegacyListeningSession, requested: CheckedFilter, options: LegacyListenOptions) {
    this.#session = session
    this.#resources = watchedResourcesOf(session)
    this.#requested = requested
    this.#options = options
  }

  async open(offered: CheckedFilter): Promise<Subscription> {
    const { signal, timeoutMs, meta, id, beforeEvent, onSessionRenewed } = this.#options
    // Added before anything is subscribed, so that no change is missed.
    const early: [string, JSONObject][] = []
    const keep = { event: (...change: [string, JSONObject]) => void early.push(change), lost() {}, ended() {} }
    const unroute = this.#session.routes.addChanges(keep)
    try {
      const limits = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }), ...(meta && { meta }) }
      const honored = await this.#watchAll(offered, limits)
      const subscription = new EventSubscription({
        id,
        requested: this.#requested,
        honored,
        owned: this.#session.filters,
        beforeEvent,
        onClose: () => this.#close(),
      })
      this.#subscription = subscription
      const stopRouting = this.#session.routes.addChanges(this)
      const stopRenewing = onSessionRenewed?.(() => void this.#resubscribe(offered))
      if (signal !== undefined) listenForAbort(signal, this.#abort)
      this.#stop = () => {
        stopRouting()
        stopRenewing?.()
        if (signal !== undefined) forgetAbort(signal, this.#abort)
      }
      for (const [method, params] of early) this.event(method, params)
      // Notifications may have been lost before the subscription was added.
      if (subscription.isClosed) this.#close()
      return subscription
    } catch (error) {
      this.#unwatchAll()
      throw error
    } finally {
      unroute()
    }
  }

  event(method: string, params: JSONObject): void {
    const event = toServerEvent(method, params)
    if (event === undefined) return
    // Other subscriptions on the same connection may have subscribed other resources.
    if (event.type === 'resourceUpdated' && !this.#watched.some((uri) => isAtOrBelow(event.uri, uri))) return
    this.#subscription?.receive(event)
  }

  lost(reason: SubscriptionLost): void {
    this.#subscription?.lose(reason)
    this.#close()
  }

  ended(): void {
    this.#subscription?.complete()
    this.#close()
  }

  /** The new session has no subscriptions yet. */
  async #resubscribe(offered: CheckedFilter): Promise<void> {
    const { id } = this.#options
    try {
      const honored = await this.#watchAll(offered, {})
      if (this.#subscription?.isClosed === false) this.#subscription.reopened(id, honored)
      else this.#unwatchAll()
    } catch (error) {
      const message = 'A subscription could not be set up again in a new session'
      this.#session.faults.report({ kind: 'notification-failed', message, error })
    }
  }

  /** A resource that the server rejects is not granted; any other error fails the whole subscription. */
  async #watchAll(offered: CheckedFilter, options: RequestOptions): Promise<CheckedFilter> {
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
    const honored = this.#watched.length === 0 ? lists : { ...lists, resourceSubscriptions: [...this.#watched] }
    return honored as CheckedFilter
  }

  #close(): void {
    this.#stop()
    this.#unwatchAll()
  }

  #unwatchAll(): void {
    for (const uri of this.#watched) {
      this.#resources.unwatch(uri, this).catch((error: unknown) => {
        if (error instanceof MCPError && error.local) return
        const message = 'The server rejected the end of a subscription'
        this.#session.faults.report({ kind: 'notification-failed', message, error })
      })
    }
    this.#watched = []
  }
}

function needsModern(member: string, version: ProtocolVersion): MCPError {
  const message = `listen() cannot ask for '${member}' at protocol revision ${version}, which has no filters of extensions. Nothing was sent.`
  return new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
}

/** An update may name a resource below a subscribed one. */
function isAtOrBelow(uri: string, watched: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`)
}
