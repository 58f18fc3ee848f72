// Announces changes to a legacy client: those of lists always, those of resources after `resources/subscribe`.

import type { OnFault } from '../../dispatcher/fault.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ListChange } from '../../wire/method-rows.ts'
import { type IsPartOf, isWatched } from './filter.ts'
import { type KeptBytes, MAX_WATCHED_BYTES, tooLarge, uriBytes } from './kept-bytes.ts'
import { ChangeQueue } from './queue.ts'
import { type CoreChange, type SubscriptionBus, type SubscriptionEvent, toNotification } from './subscriptions.ts'

export interface LegacySubscriptionsOptions {
  /** Sends outside of any request. */
  notify(method: string, params?: JSONObject): Promise<void>
  /** Whether the server declared to this client that it announces changes of a list (default: always). */
  announces?: (change: ListChange) => boolean
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
  /** Does nothing for a uri that is not watched. */
  unsubscribe(uri: string): void
  /** Watches these uris and no others. Those beyond the limits are left out. */
  replace(uris: readonly string[]): void
  close(): void
}

/** Announces the changes on a bus to one connection, until it is closed. */
export function createLegacySubscriptions(
  bus: SubscriptionBus,
  options: LegacySubscriptionsOptions,
): LegacySubscriptions {
  const { announces = () => true, isPartOf, maxWatchedUris = 1024, maxBacklog = 1024, kept, onFault } = options
  const watched = new Set<string>()
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

  const leave = bus.subscribe((event) => {
    if (!isWanted(event) || queue.add(event)) return
    onFault?.({ kind: 'overflow', message: 'A change was not announced: the client reads too slowly' })
  })

  function subscribe(uri: string): void {
    if (watched.has(uri)) return
    const after = watchedBytes + uriBytes('resources/subscribe', uri)
    if (watched.size >= maxWatchedUris) {
      throw new MCPError(ErrorCode.InternalError, 'Subscription limit reached; unsubscribe from another resource first')
    }
    if (after > MAX_WATCHED_BYTES) throw tooLarge('resources/subscribe', 'bytes of watched uris', MAX_WATCHED_BYTES)
    keep(after)
    watched.add(uri)
  }

  function unsubscribe(uri: string): void {
    if (watched.delete(uri)) keep(watchedBytes - uriBytes('resources/unsubscribe', uri))
  }

  return {
    subscribe,
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
    close() {
      leave()
      watched.clear()
      keep(0)
      queue.discard()
    },
  }
}
