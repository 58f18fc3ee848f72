// The bus that carries the changes of a server to its connections.

import { callBack } from '../../primitives/async/call-back.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { CHANGE_NOTIFICATIONS, type ListChange } from '../../wire/method-rows.ts'
import { ListenerIndex } from './listener-index.ts'

/** A change, as plain data: a bus may carry it to other processes. It never holds a JSON-RPC message. */
export type SubscriptionEvent = CoreChange | ExtensionChange

/** A change that the specification knows. */
export type CoreChange =
  | {
      /** Which list changed. */
      readonly type: ListChange
    }
  | {
      /** Marks an update of one resource. */
      readonly type: 'resourceUpdated'
      /** The resource that changed. */
      readonly uri: string
    }

/** A change of something that an extension lets clients watch: by `key`, under the member `filter` of their filters. */
export interface ExtensionChange {
  /** Marks a change that an extension announces. */
  readonly type: 'extensionChanged'
  /** The member of the filter that the key belongs to, such as `taskIds`. */
  readonly filter: string
  /** The key that changed. */
  readonly key: string
}

export type SubscriptionListener = (event: SubscriptionEvent) => void

/** Carries events from publishers to listeners. Write one of your own where several processes serve the same clients. */
export interface SubscriptionBus {
  /** Resolves when the bus can take more. Publishers may ignore that. */
  publish(event: SubscriptionEvent): Promise<void>
  /** Returns a function that ends the subscription. It is idempotent. */
  subscribe(listener: SubscriptionListener): () => void
}

/** A bus that finds its listeners by the keys of the changes that they want. */
export interface KeyedBus extends SubscriptionBus {
  subscribe(listener: SubscriptionListener, keys?: readonly string[]): () => void
}

/** The same for equal changes, and for no others. */
export function keyOf(event: SubscriptionEvent): string {
  if (event.type === 'extensionChanged') return `${event.filter} ${event.key}`
  return event.type === 'resourceUpdated' ? `uri ${event.uri}` : event.type
}

export interface SubscriptionBusOptions {
  /** Called with what a listener threw. */
  onError?: (error: unknown) => void
}

export const SUBSCRIPTION_BUS_KEYS: KnownKeys<SubscriptionBusOptions> = {
  onError: true,
}

/** After so many events in a row, `publish` waits for the next turn; well below what a stream can hold back. */
const BURST = 64

/**
 * A bus within this process. Listeners are called synchronously, in the order in which they subscribed. One that throws does not
 * affect the others.
 *
 * @example
 * ```ts
 * import { createSubscriptionBus, MCPServer } from 'mcpwire/server'
 * const bus = createSubscriptionBus()
 * const server = new MCPServer('notes', { subscriptions: bus })
 * bus.publish({ type: 'resourceUpdated', uri: 'notes://7' })
 * ```
 */
export function createSubscriptionBus(options: SubscriptionBusOptions = {}): SubscriptionBus {
  return createLocalBus(options)
}

export function createLocalBus(options: SubscriptionBusOptions = {}): KeyedBus {
  checkKeys('createSubscriptionBus()', options, SUBSCRIPTION_BUS_KEYS)
  const { onError } = options
  const listeners = new ListenerIndex<SubscriptionListener>()
  let inARow = 0

  function tell(hear: SubscriptionListener, event: SubscriptionEvent): void {
    callBack(hear, event, (error) => {
      if (onError !== undefined) callBack(onError, error, () => {})
    })
  }

  return {
    async publish(event) {
      for (const { hear } of listeners.wanting(keyOf(event))) tell(hear, event)
      inARow += 1
      if (inARow < BURST) return
      inARow = 0
      await nextTurn()
    },
    subscribe(listener, keys) {
      const listening = listeners.add(listener, keys)
      return () => listeners.remove(listening)
    },
  }
}

/** A bus that finds its listeners by keys, over a bus of the author's, which tells everything to everybody. */
export function createKeyedBus(bus: SubscriptionBus, onError: (error: unknown) => void): KeyedBus {
  const listeners = new ListenerIndex<SubscriptionListener>()
  let leave: (() => void) | undefined
  return {
    publish: (event) => bus.publish(event),
    subscribe(listener, keys) {
      const listening = listeners.add(listener, keys)
      leave ??= bus.subscribe((event) => {
        for (const { hear } of listeners.wanting(keyOf(event))) callBack(hear, event, onError)
      })
      return () => {
        listeners.remove(listening)
        if (!listeners.isEmpty) return
        leave?.()
        leave = undefined
      }
    },
  }
}

/** Lets input and output happen, which resolved promises alone do not. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

export interface ChangeNotification {
  readonly method: string
  /** Absent where the notification has no params. */
  readonly params?: JSONObject
}

/** The notification of an event, in both eras. The modern era adds the id of the subscription. */
export function toNotification(event: CoreChange): ChangeNotification {
  const { method } = CHANGE_NOTIFICATIONS[event.type]
  return event.type === 'resourceUpdated' ? { method, params: { uri: event.uri } } : { method }
}
