// `subscriptions/listen`: a request that stays open and tells its client of changes until one side ends it.
import type { Outbound } from '../dispatcher/dispatcher.ts'
import { weigh } from '../dispatcher/weight.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import type { RequestId } from '../types/jsonrpc.ts'
import type {
  SubscriptionFilter,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
} from '../types/subscriptions.ts'
import { type KeptBytes, MAX_LISTEN_BYTES, tooLarge, uriBytes } from './kept-bytes.ts'
import type { SubscriptionBus } from './subscriptions.ts'
import {
  ALL_CHANGES,
  createMatcher,
  type GrantedWatches,
  grant,
  type IsPartOf,
  restrict,
  type SupportedChanges,
} from './subscriptions-filter.ts'
import { SubscriptionRegister } from './subscriptions-register.ts'
import { type Abortable, type DescribeChange, type StreamOwner, SubscriptionStream } from './subscriptions-stream.ts'

/** What the handler needs of the request that it serves. */
export interface ListenContext extends Abortable {
  readonly requestId: RequestId | undefined
  /** Sends on the stream of this request. */
  readonly outbound: Pick<Outbound, 'notify'>
  /** An object that the requests of one client share, where there is one: the limit per connection counts by it. */
  readonly connection?: object | undefined
  /** Whether the stream carries other requests too, as on stdio. */
  readonly isStreamShared?: boolean | undefined
  /** Whether the client hears of changes to a resource. Throws `MCPError` for one that is not to be granted. */
  readonly mayWatch?: ((uri: string) => boolean) | undefined
  /** Grants what the filter asks of extensions, where there are any. */
  readonly grantWatches?: ((filter: SubscriptionFilter) => Promise<GrantedWatches>) | undefined
}

export interface ListenOptions {
  /** What the server announces, everything unless given. Asked anew for each subscription. */
  supported?: () => SupportedChanges
  isPartOf?: IsPartOf
  /** Puts changes of extensions into words. */
  describe?: DescribeChange
  /** Open at once, over all connections: 10,000 unless given, which is what HTTP lets in. */
  maxSubscriptions?: number
  /** Open at once on one connection: 100 unless given. */
  maxPerConnection?: number
  /** Uris that one subscription may watch: 1024 unless given. Those beyond it are not granted. */
  maxWatchedUris?: number
  /** Different changes that may wait for a slow client: 1024 unless given. One more, and its subscription ends. */
  maxBacklog?: number
  /** Where all clients of the server are counted together; nowhere unless given. */
  kept?: KeptBytes
}

/** Handles `subscriptions/listen`. */
export interface ListenHandler {
  (context: ListenContext, params: SubscriptionsListenRequestParams): Promise<SubscriptionsListenResult>
  /**
   * Ends all open subscriptions in good order, or those of one connection. Settles when their clients have been told;
   * `undefined` where there are none. New ones can be opened: a server may start again.
   */
  close(connection?: object): Promise<unknown> | undefined
}

/**
 * A handler over a bus. It resolves when the server ends the subscription, and rejects when the client was too slow to be
 * told everything: that one must know that it has missed something.
 */
export function createListenHandler(bus: SubscriptionBus, options: ListenOptions = {}): ListenHandler {
  const { supported = () => ALL_CHANGES, isPartOf, describe = async () => undefined } = options
  const { maxWatchedUris = 1024, maxBacklog = 1024 } = options
  const { maxSubscriptions = 10_000, maxPerConnection = 100, kept } = options
  const register = new SubscriptionRegister(maxSubscriptions, maxPerConnection, kept)
  const owner: StreamOwner = { describe, maxBacklog, onOver: (stream) => register.leave(stream) }

  function open(context: ListenContext, asked: SubscriptionFilter, keptBytes: number, watches?: GrantedWatches) {
    const { requestId, outbound, connection, isStreamShared = false } = context
    if (requestId === undefined) throw new MCPError(ErrorCode.InvalidRequest, 'subscriptions/listen needs an id')
    const refusal = register.refusal(connection)
    if (refusal !== undefined) throw new MCPError(ErrorCode.InternalError, refusal)
    const core = restrict(grant(asked, supported(), maxWatchedUris), context.mayWatch)
    const matches = createMatcher(core.heard, isPartOf, watches)
    const stream = new SubscriptionStream(
      owner,
      { requestId, outbound, connection, isStreamShared, keptBytes },
      matches,
    )
    register.enter(stream)
    stream.begin(context, bus, { notifications: { ...core.granted, ...watches } })
    return stream.done
  }

  // No async function: what that keeps of a call would be kept for as long as the subscription is open.
  function listen(context: ListenContext, params: SubscriptionsListenRequestParams) {
    try {
      const { notifications } = params
      const keptBytes = measure(params)
      const granting = context.grantWatches?.(notifications)
      if (granting !== undefined) return granting.then((watches) => open(context, notifications, keptBytes, watches))
      return open(context, notifications, keptBytes)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  return Object.assign(listen, { close: (connection?: object) => register.close(connection) })
}

/** The bytes of the request: it stays open, and all that it says is kept as long. Throws `MCPError` -32602 where it is too large. */
function measure(params: SubscriptionsListenRequestParams): number {
  const method = 'subscriptions/listen'
  const bytes = weigh(params, MAX_LISTEN_BYTES)
  if (bytes > MAX_LISTEN_BYTES) throw tooLarge(method, 'bytes of a subscription', MAX_LISTEN_BYTES)
  for (const uri of params.notifications.resourceSubscriptions ?? []) uriBytes(method, uri)
  return bytes
}
