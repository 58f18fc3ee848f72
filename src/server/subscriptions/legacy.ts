// Announces changes to a legacy client: those of lists always, those of resources after `resources/subscribe`.

import type { OnFault } from '../../dispatcher/fault.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { LIST_CHANGES, type ListChange } from '../../wire/method-rows.ts'
import { type IsPartOf, isWatched } from './filter.ts'
import { type KeptBytes, MAX_WATCHED_BYTES, tooLarge, uriBytes } from './kept-bytes.ts'
import type { NodeListener, Watching } from './node-bus.ts'
import { ChangeQueue } from './queue.ts'
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
  const { announces = () => true, isPartOf, maxWatchedUris = 1024, maxBacklog = 1024, kept, onFault } = options
  const { isAnnouncer, watch } = options
  const watched = new Set<string>()
  const watchings = new Map<string, Watching>()
  let watchedBytes = 0
  const queue = new ChangeQueue<CoreChange>(
    {
      tell(event) {
        const { method, params } = toNotification(event)
        return options.notify(method, params)
      },
      onTellFailed: (error) => onFault?.({ kind: 'write-failed', message: 'A change could not be announced', error }),
    },
    maxBacklog,
  )

  // Changes of extensions need `subscriptions/listen`, which the legacy era does not have.
  function isWanted(event: SubscriptionEvent): event is CoreChange {
    if (event.type === 'extensionChanged') return false
    if (event.type !== 'resourceUpdated') return announces(event.type)
    return isWatched(event.uri, watched, isPartOf)
  }

  function keep(bytes: number): void {
    kept?.change(watchedBytes, bytes)
    watchedBytes = bytes
  }

  function announce(event: CoreChange, isOurs: boolean): void {
    if (!isOurs || queue.add(event)) return
    onFault?.({ kind: 'overflow', message: 'A change was not announced: the client reads too slowly' })
  }

  const hear: NodeListener = (event, isFromElsewhere = false) => {
    if (!isWanted(event)) return
    const isOurs = isAnnouncer?.(isFromElsewhere) ?? true
    if (typeof isOurs === 'boolean') announce(event, isOurs)
    else void isOurs.then((isOurs) => announce(event, isOurs))
  }
  const leave = bus.subscribe(hear, isPartOf === undefined ? LIST_CHANGES : undefined)
  /** Ends the subscription of each uri, where the bus can tell them apart. */
  const leaveUri = new Map<string, () => void>()

  function subscribe(uri: string): void {
    if (watched.has(uri)) return
    const after = watchedBytes + uriBytes('resources/subscribe', uri)
    if (watched.size >= maxWatchedUris) {
      throw new MCPError(ErrorCode.InternalError, 'Subscription limit reached; unsubscribe from another resource first')
    }
    if (after > MAX_WATCHED_BYTES) throw tooLarge('resources/subscribe', 'bytes of watched uris', MAX_WATCHED_BYTES)
    keep(after)
    watched.add(uri)
    if (isPartOf === undefined) leaveUri.set(uri, bus.subscribe(hear, [keyOf({ type: 'resourceUpdated', uri })]))
    const watching = watch?.([{ type: 'resourceUpdated', uri }])
    if (watching !== undefined) watchings.set(uri, watching)
  }

  function unsubscribe(uri: string): void {
    if (!watched.delete(uri)) return
    keep(watchedBytes - uriBytes('resources/unsubscribe', uri))
    leaveUri.get(uri)?.()
    leaveUri.delete(uri)
    watchings.get(uri)?.end()
    watchings.delete(uri)
  }

  return {
    subscribe,
    whenReady: (uri) => watchings.get(uri)?.ready,
    unsubscribe,
    replace(uris) {
      const wanted = new Set(uris)
      for (const uri of [...watched]) if (!wanted.has(uri)) unsubscribe(uri)
      for (const uri of wanted) {
        try {
          subscribe(uri)
        } catch (error) {
          onFault?.({ kind: 'overflow', message: 'A watched resource was left out of a restored session', error })
          return
        }
      }
    },
    catchUp() {
      for (const type of LIST_CHANGES) if (announces(type)) announce({ type }, true)
      for (const uri of watched) announce({ type: 'resourceUpdated', uri }, true)
    },
    close() {
      leave()
      for (const leaveOne of leaveUri.values()) leaveOne()
      leaveUri.clear()
      watched.clear()
      for (const watching of watchings.values()) watching.end()
      watchings.clear()
      keep(0)
      queue.discard()
    },
  }
}
