// Announces changes to a legacy client: those of lists always, those of resources after `resources/subscribe`.

import type { OnFault } from '../../dispatcher/fault.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { LazyMap } from '../../primitives/lazy-collections.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { LIST_CHANGES, type ListChange } from '../../wire/method-rows.ts'
import type { IsPartOf } from './filter.ts'
import { type KeptBytes, MAX_WATCHED_BYTES, tooLarge, uriBytes } from './kept-bytes.ts'
import type { NodeListener, Watching } from './node-bus.ts'
import { ChangeQueue, type ChangeReader } from './queue.ts'
import { type CoreChange, type KeyedBus, keyOf, type SubscriptionEvent, toNotification } from './subscriptions.ts'

export interface LegacySubscriptionsOptions {
  /** Sends outside of any request. */
  notify(method: string, params?: JSONObject): Promise<void>
  /** Whether the server declared to this client that it announces changes of a list (default: always). */
  announces?: (change: ListChange) => boolean
  /** Whether this process announces a change to the client (default: always). Another node may do that. */
  isAnnouncer?: (isFromElsewhere: boolean) => MaybePromise<boolean>
  /** Called for each uri that the client watches. */
  watch?: (changes: readonly CoreChange[]) => Watching | undefined
  isPartOf?: IsPartOf
  /** Uris that the client may watch at once (default: 1024). */
  maxWatchedUris?: number
  /** Different changes that may wait for a slow client (default: 1024). Further ones are dropped and reported. */
  maxBacklog?: number
  /** Counts all clients of the server together, where it is given. */
  kept?: KeptBytes
  onFault?: OnFault
}

/** What one client of the legacy era watches. */
export interface LegacySubscriptions {
  /** Throws `MCPError`: -32602 for a uri that is too long, -32603 when the client watches too many uris already. */
  subscribe(uri: string): void
  /** Resolves when no change of the uri on another node is missed any more; `undefined` where there is nothing to wait for. */
  whenReady(uri: string): Promise<unknown> | undefined
  /** Does nothing for a uri that is not watched. */
  unsubscribe(uri: string): void
  /** Watches these uris and no others. Those beyond the limits are left out. */
  replace(uris: readonly string[]): void
  /** Nobody announced changes for a while: everything that the client hears of is announced once. */
  catchUp(): void
  close(): void
}

/** Announces the changes on a bus to one connection, until it is closed. */
export function createLegacySubscriptions(bus: KeyedBus, options: LegacySubscriptionsOptions): LegacySubscriptions {
  return new WatchingClient(bus, options)
}

/** There are thousands of them, most of which watch nothing but lists: each keeps as little as possible. */
class WatchingClient implements LegacySubscriptions, ChangeReader<CoreChange> {
  readonly #bus: KeyedBus
  readonly #options: LegacySubscriptionsOptions
  readonly #queue: ChangeQueue<CoreChange>
  readonly #hear: NodeListener = (event, isFromElsewhere = false) => this.#onChange(event, isFromElsewhere)
  readonly #leave: () => void
  readonly #watched = new LazyMap<string, WatchedUri>()
  #watchedBytes = 0

  constructor(bus: KeyedBus, options: LegacySubscriptionsOptions) {
    this.#bus = bus
    this.#options = options
    this.#queue = new ChangeQueue<CoreChange>(this, options.maxBacklog ?? 1024)
    this.#leave = bus.subscribe(this.#hear, options.isPartOf === undefined ? LIST_CHANGES : undefined)
  }

  subscribe(uri: string): void {
    if (this.#watched.has(uri)) return
    const { maxWatchedUris = 1024, isPartOf, watch } = this.#options
    const after = this.#watchedBytes + uriBytes('resources/subscribe', uri)
    if (this.#watched.size >= maxWatchedUris) {
      throw new MCPError(ErrorCode.InternalError, 'Subscription limit reached; unsubscribe from another resource first')
    }
    if (after > MAX_WATCHED_BYTES) throw tooLarge('resources/subscribe', 'bytes of watched uris', MAX_WATCHED_BYTES)
    this.#keep(after)
    const change: CoreChange = { type: 'resourceUpdated', uri }
    this.#watched.set(uri, {
      uri,
      // With `isPartOf` no key says which changes concern this uri.
      leave: isPartOf === undefined ? this.#bus.subscribe(this.#hear, [keyOf(change)]) : undefined,
      watching: watch?.([change]),
    })
  }

  whenReady(uri: string): Promise<unknown> | undefined {
    return this.#watched.get(uri)?.watching?.ready
  }

  unsubscribe(uri: string): void {
    const watched = this.#watched.get(uri)
    if (watched === undefined) return
    this.#watched.delete(uri)
    this.#keep(this.#watchedBytes - uriBytes('resources/unsubscribe', uri))
    endWatching(watched)
  }

  replace(uris: readonly string[]): void {
    const wanted = new Set(uris)
    for (const { uri } of [...this.#watched.values()]) if (!wanted.has(uri)) this.unsubscribe(uri)
    for (const uri of wanted) {
      try {
        this.subscribe(uri)
      } catch (error) {
        const message = 'A watched resource was left out of a restored session'
        this.#options.onFault?.({ kind: 'overflow', message, error })
        return
      }
    }
  }

  catchUp(): void {
    for (const type of LIST_CHANGES) if (this.#announces(type)) this.#announce({ type }, true)
    for (const { uri } of this.#watched.values()) this.#announce({ type: 'resourceUpdated', uri }, true)
  }

  close(): void {
    this.#leave()
    for (const watched of this.#watched.values()) endWatching(watched)
    this.#watched.clear()
    this.#keep(0)
    this.#queue.discard()
  }

  tell(event: CoreChange): Promise<void> {
    const { method, params } = toNotification(event)
    return this.#options.notify(method, params)
  }

  onTellFailed(error: unknown): void {
    this.#options.onFault?.({ kind: 'write-failed', message: 'A change could not be announced', error })
  }

  #onChange(event: SubscriptionEvent, isFromElsewhere: boolean): void {
    if (!this.#isWanted(event)) return
    const isOurs = this.#options.isAnnouncer?.(isFromElsewhere) ?? true
    if (typeof isOurs === 'boolean') this.#announce(event, isOurs)
    else void isOurs.then((isOurs) => this.#announce(event, isOurs))
  }

  // Changes of extensions need `subscriptions/listen`, which the legacy era does not have.
  #isWanted(event: SubscriptionEvent): event is CoreChange {
    if (event.type === 'extensionChanged') return false
    if (event.type !== 'resourceUpdated') return this.#announces(event.type)
    if (this.#watched.has(event.uri)) return true
    const { isPartOf } = this.#options
    return isPartOf !== undefined && [...this.#watched.values()].some(({ uri }) => isPartOf(event.uri, uri))
  }

  #announces(change: ListChange): boolean {
    return this.#options.announces?.(change) ?? true
  }

  #announce(event: CoreChange, isOurs: boolean): void {
    if (!isOurs || this.#queue.add(event)) return
    const message = 'A change was not announced: the client reads too slowly'
    this.#options.onFault?.({ kind: 'overflow', message })
  }

  #keep(bytes: number): void {
    this.#options.kept?.change(this.#watchedBytes, bytes)
    this.#watchedBytes = bytes
  }
}

interface WatchedUri {
  readonly uri: string
  readonly leave: (() => void) | undefined
  readonly watching: Watching | undefined
}

function endWatching({ leave, watching }: WatchedUri): void {
  leave?.()
  watching?.end()
}
