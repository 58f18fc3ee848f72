// One open subscription: what it still has to tell its client, and how it comes to an end.
import type { JSONObject } from '../types/json.ts'
import {
  type ChangeNotification,
  type ExtensionChange,
  type SubscriptionEvent,
  toNotification,
} from './subscriptions.ts'
import { Backlog } from './subscriptions-backlog.ts'

/** How a subscription ended: in good order, by its client, or because that could not keep up. */
export type Ending = 'closed' | 'cancelled' | 'overrun'

/** Sends a notification on the stream of the subscription; resolves when the transport has taken it. */
export type Send = (method: string, params?: JSONObject) => Promise<void>

/** Puts a change of an extension into words; `undefined` where there are none. */
export type DescribeChange = (change: ExtensionChange) => Promise<ChangeNotification | undefined>

export class SubscriptionStream {
  readonly #backlog: Backlog
  #ending: Ending | undefined
  #resolve: ((ending: Ending) => void) | undefined

  /** Past `maxBacklog` different changes that wait, the client does not keep up. */
  constructor(maxBacklog: number) {
    this.#backlog = new Backlog(maxBacklog)
  }

  /** Takes an event to tell; `false` when there is no room for it. */
  offer(event: SubscriptionEvent): boolean {
    return this.#backlog.add(event)
  }

  /** Ends in good order: what it has is still told. */
  close(): void {
    this.#backlog.end()
  }

  /** Ends at once, even while a client that does not read holds up the transport. */
  stop(ending: Exclude<Ending, 'closed'>): void {
    this.#backlog.discard()
    this.#ending ??= ending
    this.#resolve?.(ending)
  }

  /** Sends the acknowledgement, then each event, until the end. */
  run(send: Send, acknowledgement: JSONObject, describe: DescribeChange): Promise<Ending> {
    if (this.#ending !== undefined) return Promise.resolve(this.#ending)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#tell(send, acknowledgement, describe).then(resolve, reject)
    })
  }

  async #tell(send: Send, acknowledgement: JSONObject, describe: DescribeChange): Promise<Ending> {
    await send('notifications/subscriptions/acknowledged', acknowledgement)
    for (let event = await this.#backlog.next(); event !== undefined; event = await this.#backlog.next()) {
      const notification = event.type === 'extensionChanged' ? await describe(event) : toNotification(event)
      if (notification !== undefined) await send(notification.method, notification.params)
    }
    return 'closed'
  }
}

/** The subscriptions that are open, within their limits. */
export class SubscriptionRegister {
  readonly #maxInAll: number
  readonly #maxPerConnection: number
  readonly #streams = new Set<SubscriptionStream>()
  readonly #perConnection = new WeakMap<object, number>()

  constructor(maxInAll: number, maxPerConnection: number) {
    this.#maxInAll = maxInAll
    this.#maxPerConnection = maxPerConnection
  }

  /** Says why another subscription cannot be let in; `undefined` when it can. */
  refusal(connection: object | undefined): string | undefined {
    if (this.#streams.size >= this.#maxInAll) return 'Subscription limit reached'
    if (this.#countOf(connection) < this.#maxPerConnection) return undefined
    return 'Subscription limit of this connection reached; end another subscription first'
  }

  /** Lets a subscription in. Returns what lets it out, any number of times. */
  enter(stream: SubscriptionStream, connection: object | undefined): () => void {
    this.#streams.add(stream)
    this.#count(connection, 1)
    return () => {
      if (this.#streams.delete(stream)) this.#count(connection, -1)
    }
  }

  /** Ends all of them in good order. */
  close(): void {
    for (const stream of this.#streams) stream.close()
  }

  #countOf(connection: object | undefined): number {
    return connection === undefined ? 0 : (this.#perConnection.get(connection) ?? 0)
  }

  #count(connection: object | undefined, change: 1 | -1): void {
    if (connection !== undefined) this.#perConnection.set(connection, this.#countOf(connection) + change)
  }
}
