// The subscriptions that are open, within their limits.
import type { KeptBytes } from './kept-bytes.ts'
import type { SubscriptionStream } from './subscriptions-stream.ts'

export class SubscriptionRegister {
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

  /** Says why another subscription cannot be let in; `undefined` when it can. */
  refusal(connection: object | undefined): string | undefined {
    if (this.#streams.size >= this.#maxInAll) return 'Subscription limit reached'
    if (this.#countOf(connection) < this.#maxPerConnection) return undefined
    return 'Subscription limit of this connection reached; end another subscription first'
  }

  /** Throws `MCPError` where there is no room for what it keeps. */
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
   * Ends all of them in good order, or those of one connection. Settles when their clients have been told; `undefined` where
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
