// `subscriptions/listen`: a request that stays open and announces changes until one side ends it.

import { estimateBytes } from '../../dispatcher/backpressure.ts'
import type { Outbound } from '../../dispatcher/dispatcher.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type {
  SubscriptionFilter,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
} from '../../types/features/subscriptions.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import {
  ALL_CHANGES,
  createMatcher,
  type GrantedWatches,
  grant,
  type IsPartOf,
  listKeys,
  type Restricted,
  restrict,
  type SupportedChanges,
} from './filter.ts'
import { type KeptBytes, MAX_LISTEN_BYTES, tooLarge, uriBytes } from './kept-bytes.ts'
import type { Watching } from './node-bus.ts'
import { type Abortable, type DescribeChange, type StreamOwner, SubscriptionStream } from './stream.ts'
import { type ExtensionChange, type KeyedBus, keyOf, type SubscriptionEvent } from './subscriptions.ts'

class SubscriptionRegister {
  readonly #maxInAll: number
  readonly #maxPerConnection: number
  readonly #kept: KeptBytes | undefined
  readonly #streams = new Set<SubscriptionStream>()
  readonly #perConnection = new WeakMap<object, number>()

  constructor(maxInAll: number, maxPerConnection: number, kept?: KeptBytes) {
    this.#maxInAll = maxInAll
    this.#maxPerConnection = maxPerConnection
    this.#kept = kept
  }

  /** Why no further subscription is possible; `undefined` when one is. */
  refusal(connection: object | undefined): string | undefined {
    if (this.#streams.size >= this.#maxInAll) return 'Subscription limit reached'
    if (this.#countOf(connection) < this.#maxPerConnection) return undefined
    return 'Subscription limit of this connection reached; end another subscription first'
  }

  /** Throws `MCPError` beyond the limit of kept bytes. */
  enter(stream: SubscriptionStream): void {
    this.#kept?.change(0, stream.keptBytes)
    this.#streams.add(stream)
    this.#count(stream.connection, 1)
  }

  /** Any number of times. */
  leave(stream: SubscriptionStream): void {
    if (!this.#streams.delete(stream)) return
    this.#kept?.change(stream.keptBytes, 0)
    this.#count(stream.connection, -1)
  }

  /**
   * Ends all of them, or those of one connection. Settles when their clients have got all pending changes; `undefined` where
   * there are none.
   */
  close(connection?: object): Promise<unknown> | undefined {
    const open = [...this.#streams].filter((stream) => connection === undefined || stream.connection === connection)
    for (const stream of open) stream.close()
    return open.length === 0 ? undefined : Promise.allSettled(open.map(({ done }) => done))
  }

  #countOf(connection: object | undefined): number {
    return connection === undefined ? 0 : (this.#perConnection.get(connection) ?? 0)
  }

  #count(connection: object | undefined, change: 1 | -1): void {
    if (connection !== undefined) this.#perConnection.set(connection, this.#countOf(connection) + change)
  }
}

/** What the handler needs of the request that it serves. */
export interface ListenContext extends Abortable {
  readonly requestId: RequestId | undefined
  /** Sends on the stream of this request. */
  readonly outbound: Pick<Outbound, 'notify'>
  /** An object that the requests of one client share, where there is one: the limit per connection counts by it. */
  readonly connection?: object | undefined
  /** Whether the stream carries other requests too, as on stdio. */
  readonly isStreamShared?: boolean | undefined
  /** Whether the client leaves, or the server closes: a subscription that was opened late ends at once. */
  readonly isLeaving?: (() => boolean) | undefined
  /** Whether the client hears of changes to a resource. Rejects with `MCPError` for one that is not to be granted. */
  readonly mayWatch?: ((uri: string) => Promise<boolean>) | undefined
  /** Grants what the filter asks of extensions, where there are any. */
  readonly grantWatches?: ((filter: SubscriptionFilter) => Promise<GrantedWatches>) | undefined
  /** The changes of what extensions granted that came before the subscription was open. Never rejects. */
  readonly findMissed?: ((granted: GrantedWatches) => Promise<readonly ExtensionChange[]>) | undefined
  /** Creates the notifications of changes of extensions for this client. Kept with what they granted. */
  readonly describe?: DescribeChange | undefined
}

export interface ListenOptions {
  /** What the server announces (default: everything). Called for each subscription. */
  supported?: (() => SupportedChanges) | undefined
  isPartOf?: IsPartOf | undefined
  /** Open subscriptions of all connections together (default: 10,000, as over HTTP). */
  maxSubscriptions?: number | undefined
  /** Open subscriptions of one connection (default: 100). */
  maxPerConnection?: number | undefined
  /** Uris that one subscription may watch (default: 1024). Further ones are not granted. */
  maxWatchedUris?: number | undefined
  /** Different changes that may wait for a slow client (default: 1024). Beyond it the subscription ends. */
  maxBacklog?: number | undefined
  /** Counts all clients of the server together, where it is given. */
  kept?: KeptBytes | undefined
  /** Called with what a subscription watches beside lists. It is acknowledged once no change of it is missed. */
  watch?: (changes: readonly SubscriptionEvent[]) => Watching | undefined
}

/** Handles `subscriptions/listen`. */
export interface ListenHandler {
  (context: ListenContext, params: SubscriptionsListenRequestParams): Promise<SubscriptionsListenResult>
  /**
   * Ends all open subscriptions, or those of one connection. Settles when their clients have got all pending changes;
   * `undefined` where there are none. New ones can be opened: a server may start again.
   */
  close(connection?: object): Promise<unknown> | undefined
}

/**
 * A handler over a bus. It resolves when the server ends the subscription, and rejects when the client was too slow to get
 * everything: then it must know that it has missed something.
 */
export function createListenHandler(bus: KeyedBus, options: ListenOptions = {}): ListenHandler {
  const { supported = () => ALL_CHANGES, isPartOf } = options
  const { maxWatchedUris = 1024, maxBacklog = 1024 } = options
  const { maxSubscriptions = 10_000, maxPerConnection = 100, kept } = options
  const { watch } = options
  const register = new SubscriptionRegister(maxSubscriptions, maxPerConnection, kept)
  const owner: StreamOwner = { maxBacklog, onOver: (stream) => register.leave(stream) }

  function open(context: ListenContext, core: Restricted, keptBytes: number, watches?: GrantedWatches) {
    const { requestId, outbound, connection, isStreamShared = false } = context
    // It keeps the whole request, which most subscriptions need not.
    const describe = Object.keys(watches ?? {}).length === 0 ? undefined : context.describe
    if (requestId === undefined) throw new MCPError(ErrorCode.InvalidRequest, 'subscriptions/listen needs an id')
    const refusal = register.refusal(connection)
    if (refusal !== undefined) throw new MCPError(ErrorCode.InternalError, refusal)
    const matches = createMatcher(core.heard, isPartOf, watches)
    const stream = new SubscriptionStream(
      owner,
      { requestId, outbound, connection, isStreamShared, keptBytes, describe },
      matches,
    )
    register.enter(stream)
    const keys = isPartOf === undefined ? keysOf(core.heard, watches) : undefined
    stream.begin(context, bus, { notifications: { ...core.granted, ...watches } }, keys)
    if (context.isLeaving?.() === true) stream.close()
    if (watches !== undefined) void context.findMissed?.(watches).then((missed) => stream.catchUp(missed))
    return stream.done
  }

  /** Where changes come from other nodes, their way here is open before the client is told that it is. */
  function openWatched(context: ListenContext, core: Restricted, keptBytes: number, watches?: GrantedWatches) {
    const changes = watch === undefined ? [] : changesOf(core.heard, watches)
    const watching = changes.length === 0 ? undefined : watch?.(changes)
    if (watching === undefined) return open(context, core, keptBytes, watches)
    const opening = (watching.ready ?? Promise.resolve()).then(() => open(context, core, keptBytes, watches))
    return opening.finally(watching.end)
  }

  // Not async: an async function would keep its variables for as long as the subscription is open.
  function listen(context: ListenContext, params: SubscriptionsListenRequestParams) {
    try {
      const { notifications } = params
      const keptBytes = measure(params)
      const granted = grant(notifications, supported(), maxWatchedUris)
      const { mayWatch, grantWatches } = context
      if (grantWatches === undefined && (mayWatch === undefined || granted.resourceSubscriptions === undefined)) {
        return openWatched(context, { granted, heard: granted }, keptBytes)
      }
      return Promise.all([restrict(granted, mayWatch), grantWatches?.(notifications)]).then(([core, watches]) =>
        openWatched(context, core, keptBytes, watches),
      )
    } catch (error) {
      return Promise.reject(error)
    }
  }

  return Object.assign(listen, { close: (connection?: object) => register.close(connection) })
}

/** The keys of all changes that a subscription hears of. Those that watch nothing but the same lists share theirs. */
function keysOf(heard: SubscriptionFilter, watches: GrantedWatches | undefined): readonly string[] {
  if (heard.resourceSubscriptions === undefined && watches === undefined) return listKeys(heard)
  return [...listKeys(heard), ...changesOf(heard, watches).map(keyOf)]
}

/** A change of each thing that a subscription watches, beside lists. */
function changesOf({ resourceSubscriptions = [] }: SubscriptionFilter, watches: GrantedWatches = {}) {
  const resources = resourceSubscriptions.map((uri) => ({ type: 'resourceUpdated', uri }) as const)
  const others = Object.entries(watches).flatMap(([filter, keys]) =>
    keys.map((key) => ({ type: 'extensionChanged', filter, key }) as const),
  )
  return [...resources, ...others]
}

/** The bytes of the request: it stays open, and all that it says is kept as long. Throws `MCPError` -32602 where it is too large. */
function measure(params: SubscriptionsListenRequestParams): number {
  const method = 'subscriptions/listen'
  const bytes = estimateBytes(params, MAX_LISTEN_BYTES)
  if (bytes > MAX_LISTEN_BYTES) throw tooLarge(method, 'bytes of a subscription', MAX_LISTEN_BYTES)
  for (const uri of params.notifications.resourceSubscriptions ?? []) uriBytes(method, uri)
  return bytes
}
