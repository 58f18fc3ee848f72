// Changes between the nodes of a server, over the topics of its backend. Loaded when a server with a backend starts.
import type { TopicSubscription, Topics } from '../../backend/topics.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import type { Clock } from '../../primitives/async/clock.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { LIST_CHANGES } from '../../wire/method-rows.ts'
import { CatchUp } from './catch-up.ts'
import { canBeSent, decodeChanges, encodeChanges, LIST_TOPIC, topicOf, topicOfKey } from './change-message.ts'
import { NodeBus, type OtherNodes } from './node-bus.ts'
import { OutgoingChanges } from './outgoing-changes.ts'
import type { KeyedBus, SubscriptionEvent } from './subscriptions.ts'

/** How long a start waits for the topic of lists, and an end for changes that are still to be sent. */
const START_MS = 2_000
const LAST_CHANGES_MS = 1_000

/** An engine that stays away is reported this often. */
const REPORT_MS = 60_000

export interface SharedChangesParts {
  readonly topics: Topics
  readonly bus: NodeBus
  /** The id of this node. */
  readonly node: string
  /** The name of the server. One that is mounted in it may use the same topics. */
  readonly server: string
  readonly clock: () => Clock
  readonly faults: FaultReporter
}

interface Shard {
  readonly subscription: TopicSubscription
  /** The keys that somebody here watches on it. */
  readonly keys: Set<string>
  isReady: boolean
}

export function createNodeBus(local: KeyedBus, onError: (error: unknown) => void): NodeBus {
  return new NodeBus(local, onError)
}

export class SharedChanges implements OtherNodes {
  readonly #parts: SharedChangesParts
  readonly #outgoing: OutgoingChanges
  readonly #catchUp: CatchUp
  readonly #shards = new Map<string, Shard>()
  #lists: TopicSubscription | undefined
  #detach: (() => void) | undefined
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(parts: SharedChangesParts) {
    this.#parts = parts
    const { topics, bus, node, server, clock } = parts
    this.#outgoing = new OutgoingChanges(
      clock,
      (topic, changes) => topics.publish(topic, encodeChanges({ from: node, server, changes })),
      (error) => this.#report(error),
    )
    this.#catchUp = new CatchUp(
      clock,
      (missed) => changesOf(bus, missed),
      () => bus.listeners(),
    )
  }

  async start(): Promise<void> {
    this.#lists = this.#listen(LIST_TOPIC)
    this.#detach = this.#parts.bus.attach(this)
    const isReady = await settlesWithin(this.#lists.ready, START_MS)
    if (isReady) return
    const message = `The topic for changes was not ready within ${START_MS} ms. Changes of other nodes may get lost.`
    this.#parts.faults.report({ kind: 'transport', message })
  }

  publish(event: SubscriptionEvent): void {
    if (canBeSent(event)) this.#outgoing.add(topicOf(event), event)
  }

  watch(key: string): Promise<void> | undefined {
    const topic = topicOfKey(key)
    const known = this.#shards.get(topic)
    const shard = known ?? { subscription: this.#listen(topic), keys: new Set<string>(), isReady: false }
    shard.keys.add(key)
    if (known === undefined) {
      this.#shards.set(topic, shard)
      shard.subscription.ready.then(
        () => {
          shard.isReady = true
        },
        (error: unknown) => this.#report(error),
      )
    }
    return shard.isReady ? undefined : shard.subscription.ready
  }

  unwatch(key: string): void {
    const topic = topicOfKey(key)
    const shard = this.#shards.get(topic)
    if (shard?.keys.delete(key) !== true || shard.keys.size > 0) return
    this.#shards.delete(topic)
    shard.subscription.close()
  }

  /** What was published before still reaches the other nodes, where the engine takes it. */
  async close(): Promise<void> {
    this.#detach?.()
    await settlesWithin(this.#outgoing.close(), LAST_CHANGES_MS)
    this.#catchUp.close()
    this.#lists?.close()
    for (const { subscription } of this.#shards.values()) subscription.close()
    this.#shards.clear()
  }

  #listen(topic: string): TopicSubscription {
    return this.#parts.topics.subscribe(topic, {
      message: (text) => this.#receive(topic, text),
      missed: () => this.#catchUp.add(topic),
    })
  }

  #receive(topic: string, text: string): void {
    const { bus, node, server, faults } = this.#parts
    const message = decodeChanges(text)
    if (message === undefined) {
      const problem = 'A message about changes could not be read. Another program may write to the same namespace.'
      faults.report({ kind: 'invalid-message', message: problem })
      return
    }
    // The clients of this node have heard of its own changes.
    if (message.from === node) return
    if (message.server !== undefined && message.server !== server) return
    if (message.changes === 'all') this.#catchUp.add(topic)
    else for (const event of message.changes) bus.hear(event)
  }

  #report(error: unknown): void {
    const now = this.#parts.clock().monotonic()
    if (now - this.#reportedAt < REPORT_MS) return
    this.#reportedAt = now
    const message = 'Changes could not be sent to the other nodes, or not be heard from them. This is tried again.'
    this.#parts.faults.report({ kind: 'notification-failed', message, error })
  }
}

/** Everything that may have changed on topics whose messages were lost, as far as clients of this node can hear of it. */
function changesOf(bus: NodeBus, missed: ReadonlySet<string>): readonly SubscriptionEvent[] {
  const changes: SubscriptionEvent[] = missed.has(LIST_TOPIC) ? LIST_CHANGES.map((type) => ({ type })) : []
  for (const event of bus.watchedChanges()) if (missed.has(topicOf(event))) changes.push(event)
  return changes
}

export async function startSharedChanges(parts: SharedChangesParts): Promise<SharedChanges> {
  const changes = new SharedChanges(parts)
  await changes.start()
  return changes
}
