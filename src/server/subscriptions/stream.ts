// One open subscription: what it sends to its client, and how it ends.
import type { AbortListener, Outbound } from '../../dispatcher/dispatcher.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { SubscriptionsListenResult } from '../../types/features/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../../types/protocol/meta.ts'
import type { Matcher } from './filter.ts'
import { ChangeQueue, type ChangeReader } from './queue.ts'
import {
  type ChangeNotification,
  type ExtensionChange,
  type KeyedBus,
  type SubscriptionEvent,
  toNotification,
} from './subscriptions.ts'

/** The notification of a change of an extension; `undefined` where there is none. */
export type DescribeChange = (change: ExtensionChange) => Promise<ChangeNotification | undefined>

/** What the subscriptions of one server have in common. */
export interface StreamOwner {
  /** Different changes that may wait. Beyond it the client is too slow. */
  readonly maxBacklog: number
  /** Called at the end, before the client gets the result. */
  onOver(stream: SubscriptionStream): void
}

/** The request that a subscription is. */
export interface StreamRequest {
  readonly requestId: RequestId
  /** Sends on the stream of the request. */
  readonly outbound: Pick<Outbound, 'notify'>
  readonly connection: object | undefined
  readonly isStreamShared: boolean
  /** The bytes of the request, kept as long as it is open. */
  readonly keptBytes: number
  /** Where it watches something of an extension. */
  readonly describe?: DescribeChange | undefined
}

/** Anything that can be aborted. */
export interface Abortable {
  /** Calls the listener once when that happens, at once where it has. */
  onAbort(listener: AbortListener): void
}

/** There are thousands of them, open for hours: each keeps as little as possible. */
export class SubscriptionStream implements ChangeReader<SubscriptionEvent> {
  /** The result of the request. Rejects when the client was too slow to get everything, or a change could not be sent. */
  readonly done: Promise<SubscriptionsListenResult>
  readonly connection: object | undefined
  readonly keptBytes: number
  readonly #owner: StreamOwner
  readonly #requestId: RequestId
  readonly #outbound: Pick<Outbound, 'notify'>
  readonly #isStreamShared: boolean
  readonly #matches: Matcher
  readonly #describeChange: DescribeChange | undefined
  readonly #queue: ChangeQueue
  #leaveBus: (() => void) | undefined
  #settle: ((outcome: SubscriptionsListenResult | Promise<never>) => void) | undefined

  constructor(owner: StreamOwner, request: StreamRequest, matches: Matcher) {
    this.connection = request.connection
    this.keptBytes = request.keptBytes
    this.#owner = owner
    this.#requestId = request.requestId
    this.#outbound = request.outbound
    this.#isStreamShared = request.isStreamShared
    this.#matches = matches
    this.#describeChange = request.describe
    this.#queue = new ChangeQueue(this, owner.maxBacklog)
    this.#queue.hold()
    this.done = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /**
   * Sends the acknowledgement, then each change on the bus that its client asked for, until the end. `keys` are those of all
   * such changes, where they are known.
   */
  begin(request: Abortable, bus: KeyedBus, acknowledgement: JSONObject, keys?: readonly string[]): void {
    request.onAbort(() => this.cancel())
    if (this.#isOver) return
    try {
      // Before the acknowledgement, so that no change is lost while that is sent.
      this.#leaveBus = bus.subscribe((event) => this.#hear(event), keys)
      // The bus may have published more than fits already.
      if (this.#isOver) this.#leaveBus()
      else this.#queue.goOnAfter(this.#send('notifications/subscriptions/acknowledged', acknowledgement))
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Sends changes that the client may have missed, as if they were published now. */
  catchUp(events: readonly SubscriptionEvent[]): void {
    for (const event of events) if (!this.#isOver) this.#hear(event)
  }

  /** Ends after all pending changes are sent. */
  close(): void {
    this.#queue.end()
  }

  /** Ends at once, even while the client does not read. */
  cancel(): void {
    this.#end()?.(this.#createResult())
  }

  tell(event: SubscriptionEvent): Promise<void> {
    if (event.type === 'extensionChanged') return this.#describe(event)
    const { method, params } = toNotification(event)
    return this.#send(method, params)
  }

  onTellFailed(error: unknown): void {
    this.#fail(error)
  }

  onAllTold(): void {
    const settle = this.#end()
    if (settle === undefined) return
    const answer = () => settle(this.#createResult())
    // Spec, Cancellation: on a shared stream a server says that it ends a subscription, and then answers the request.
    if (this.#isStreamShared) {
      this.#send('notifications/cancelled', { requestId: this.#requestId }).then(answer, answer)
    } else answer()
  }

  get #isOver(): boolean {
    return this.#settle === undefined
  }

  #hear(event: SubscriptionEvent): void {
    if (!this.#matches(event) || this.#queue.add(event)) return
    this.#fail(new MCPError(ErrorCode.InternalError, 'Subscription ended: the client was too slow'))
  }

  async #describe(change: ExtensionChange): Promise<void> {
    const notification = await this.#describeChange?.(change)
    if (notification !== undefined) await this.#send(notification.method, notification.params)
  }

  /** The acknowledgement, the changes and the result, each with the id of the subscription. */
  #send(method: string, params: JSONObject | undefined): Promise<void> {
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: this.#requestId }
    return this.#outbound.notify(method, params === undefined ? { _meta } : { ...params, _meta })
  }

  #createResult(): SubscriptionsListenResult {
    return { resultType: 'complete', _meta: { [SUBSCRIPTION_ID_META_KEY]: this.#requestId } }
  }

  #fail(error: unknown): void {
    this.#end()?.(Promise.reject(error))
  }

  /** The function that settles the request, to be called once; `undefined` where that has happened. */
  #end() {
    const settle = this.#settle
    this.#settle = undefined
    this.#queue.discard()
    this.#leaveBus?.()
    this.#leaveBus = undefined
    this.#owner.onOver(this)
    return settle
  }
}
