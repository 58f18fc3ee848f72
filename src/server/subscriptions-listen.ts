// `subscriptions/listen`: a request that stays open and tells its client of changes until one side ends it.
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import type { JSONObject } from '../types/json.ts'
import type { RequestId } from '../types/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../types/meta-keys.ts'
import type {
  SubscriptionFilter,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
} from '../types/subscriptions.ts'
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
import {
  type DescribeChange,
  type Ending,
  type Send,
  SubscriptionRegister,
  SubscriptionStream,
} from './subscriptions-stream.ts'

/** What the handler needs of the request that it serves. */
export interface ListenContext {
  readonly requestId: RequestId | undefined
  readonly signal: AbortSignal
  /** Sends on the stream of this request. */
  notify(method: string, params: JSONObject): Promise<void>
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
}

/** Handles `subscriptions/listen`. */
export interface ListenHandler {
  (context: ListenContext, params: SubscriptionsListenRequestParams): Promise<SubscriptionsListenResult>
  /** Ends all open subscriptions in good order, and waits for nobody. New ones can be opened: a server may start again. */
  close(): void
}

/**
 * A handler over a bus. It resolves when the server ends the subscription, and rejects when the client was too slow to be
 * told everything: that one must know that it has missed something.
 */
export function createListenHandler(bus: SubscriptionBus, options: ListenOptions = {}): ListenHandler {
  const { supported = () => ALL_CHANGES, isPartOf, describe = async () => undefined } = options
  const { maxWatchedUris = 1024, maxBacklog = 1024 } = options
  const register = new SubscriptionRegister(options.maxSubscriptions ?? 10_000, options.maxPerConnection ?? 100)

  async function listen(context: ListenContext, params: SubscriptionsListenRequestParams) {
    const { requestId, signal, connection, grantWatches, mayWatch } = context
    if (requestId === undefined) throw new MCPError(ErrorCode.InvalidRequest, 'subscriptions/listen needs an id')
    const watches = grantWatches === undefined ? undefined : await grantWatches(params.notifications)
    const refusal = register.refusal(connection)
    if (refusal !== undefined) throw new MCPError(ErrorCode.InternalError, refusal)
    signal.throwIfAborted()

    const core = restrict(grant(params.notifications, supported(), maxWatchedUris), mayWatch)
    const granted = { ...core.granted, ...watches }
    const matches = createMatcher(core.heard, isPartOf, watches)
    const stream = new SubscriptionStream(maxBacklog)
    // Before the acknowledgement, so that nothing is lost which happens while that is on its way.
    const unsubscribe = bus.subscribe((event) => {
      if (matches(event) && !stream.offer(event)) stream.stop('overrun')
    })
    const leave = register.enter(stream, connection)
    const cancel = () => stream.stop('cancelled')
    signal.addEventListener('abort', cancel, { once: true })
    // The acknowledgement, the changes and the result, each with the id of the subscription.
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: requestId }
    const send: Send = (method, change) => context.notify(method, { ...change, _meta })
    let ending: Ending
    try {
      ending = await stream.run(send, { notifications: granted }, describe)
    } finally {
      signal.removeEventListener('abort', cancel)
      leave()
      unsubscribe()
    }
    if (ending === 'overrun') throw new MCPError(ErrorCode.InternalError, 'Subscription ended: the client was too slow')
    // Spec, Cancellation: on a shared stream a server says that it ends a subscription, and then answers the request.
    if (ending === 'closed' && context.isStreamShared === true) await send('notifications/cancelled', { requestId })
    return { resultType: 'complete', _meta } as const
  }

  return Object.assign(listen, { close: () => register.close() })
}
