// The bus of a server that is one node of several: its own changes reach its clients at once, and those of other nodes as they come.
import { settlesWithin } from '../../primitives/async/timer.ts'
import { ListenerIndex } from './listener-index.ts'
import { type KeyedBus, keyOf, type SubscriptionEvent, type SubscriptionListener } from './subscriptions.ts'

/** The way to and from the other nodes, while the server runs. */
export interface OtherNodes {
  publish(event: SubscriptionEvent): void
  /** Resolves when changes of this key that other nodes publish arrive here; `undefined` where they do already. */
  watch(key: string): Promise<void> | undefined
  unwatch(key: string): void
}

/** As `SubscriptionListener`; a listener of this package may ask whether the change comes from another node. */
export type NodeListener = (event: SubscriptionEvent, isFromElsewhere?: boolean) => void

/** What a client watches, from here until `end`. */
export interface Watching {
  /** Resolves when no change is missed any more; `undefined` where there is nothing to wait for. Never rejects. */
  readonly ready: Promise<unknown> | undefined
  /** Idempotent. */
  end(): void
}

/** How long a subscription waits for the engine. Then it goes on: it hears of changes as soon as the engine is there. */
const READY_MS = 2_000

export class NodeBus implements KeyedBus {
  readonly #local: KeyedBus
  readonly #onError: (error: unknown) => void
  readonly #listeners = new ListenerIndex<NodeListener>()
  /** How many clients watch each key, of those that are neither lists. */
  readonly #watched = new Map<string, { readonly event: SubscriptionEvent; count: number }>()
  #others: OtherNodes | undefined

  constructor(local: KeyedBus, onError: (error: unknown) => void) {
    this.#local = local
    this.#onError = onError
  }

  /** Also to the other nodes. */
  publish(event: SubscriptionEvent): Promise<void> {
    this.#others?.publish(event)
    return this.publishHere(event)
  }

  /** Only to the clients of this node. */
  publishHere(event: SubscriptionEvent): Promise<void> {
    return this.#local.publish(event)
  }

  subscribe(listener: SubscriptionListener, keys?: readonly string[]): () => void {
    const leaveLocal = this.#local.subscribe(listener, keys)
    const listening = this.#listeners.add(listener, keys)
    return () => {
      leaveLocal()
      this.#listeners.remove(listening)
    }
  }

  /** From here on changes go to other nodes and come from them, until the returned function is called. */
  attach(others: OtherNodes): () => void {
    this.#others = others
    for (const key of this.#watched.keys()) void others.watch(key)
    return () => {
      if (this.#others === others) this.#others = undefined
    }
  }

  /** Of what a client watches: resources, and what extensions let it watch. */
  watch(events: readonly SubscriptionEvent[]): Watching {
    const keys = events.map((event) => this.#watch(event))
    const waits = keys.flatMap((key) => this.#others?.watch(key) ?? [])
    let isOver = false
    return {
      ready: waits.length === 0 ? undefined : settlesWithin(Promise.all(waits), READY_MS),
      end: () => {
        if (!isOver) for (const key of keys) this.#unwatch(key)
        isOver = true
      },
    }
  }

  /** A change of another node. */
  hear(event: SubscriptionEvent): void {
    for (const { hear } of this.#listeners.wanting(keyOf(event))) this.#tell(hear, event)
  }

  /** Those who listen at present, each to be told of a change by the function. */
  listeners(): readonly ((event: SubscriptionEvent) => void)[] {
    return this.#listeners.all().map((listening) => (event: SubscriptionEvent) => {
      const { hear, keys } = listening
      if (keys !== undefined && !keys.includes(keyOf(event))) return
      if (this.#listeners.has(listening)) this.#tell(hear, event)
    })
  }

  /** A change of each key that somebody watches. */
  *watchedChanges(): Iterable<SubscriptionEvent> {
    for (const { event } of this.#watched.values()) yield event
  }

  #tell(listener: NodeListener, event: SubscriptionEvent): void {
    try {
      listener(event, true)
    } catch (error) {
      this.#onError(error)
    }
  }

  #watch(event: SubscriptionEvent): string {
    const key = keyOf(event)
    const known = this.#watched.get(key)
    if (known === undefined) this.#watched.set(key, { event, count: 1 })
    else known.count += 1
    return key
  }

  #unwatch(key: string): void {
    const known = this.#watched.get(key)
    if (known === undefined) return
    known.count -= 1
    if (known.count > 0) return
    this.#watched.delete(key)
    this.#others?.unwatch(key)
  }
}
