// The bus on which a server's changes travel from where they happen to the connections that want to know.

import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { CHANGE_NOTIFICATIONS, type ListChange } from '../../wire/method-rows.ts'

/** A change, as plain data: a bus may carry it to other processes. It never holds a JSON-RPC message. */
export type SubscriptionEvent = CoreChange | ExtensionChange

/** A change that the specification knows. */
export type CoreChange = { readonly type: ListChange } | { readonly type: 'resourceUpdated'; readonly uri: string }

/** A change of something that an extension lets clients watch: by `key`, under the member `filter` of their filters. */
export interface ExtensionChange {
  readonly type: 'extensionChanged'
  readonly filter: string
  readonly key: string
}

export type SubscriptionListener = (event: SubscriptionEvent) => void

/** Carries events from publishers to listeners. Write one of your own where several processes serve the same clients. */
export interface SubscriptionBus {
  /** Waits as long as the bus likes before more should come; nobody has to wait for it. */
  publish(event: SubscriptionEvent): Promise<void>
  /** Returns what ends the subscription, any number of times. */
  subscribe(listener: SubscriptionListener): () => void
}

export interface SubscriptionBusOptions {
  /** Told what a listener threw. */
  onError?: (error: unknown) => void
}

export const SUBSCRIPTION_BUS_KEYS: KnownKeys<SubscriptionBusOptions> = {
  onError: true,
}

/** After so many events in a row a publisher that waits lets others work; well below what a stream can hold back. */
const BURST = 64

/**
 * A bus within this process. Listeners are called at once, in the order in which they subscribed; one that throws costs only
 * itself.
 */
export function createSubscriptionBus(options: SubscriptionBusOptions = {}): SubscriptionBus {
  checkKeys('createSubscriptionBus()', options, SUBSCRIPTION_BUS_KEYS)
  const { onError } = options
  /** By what ends each subscription, so that subscribing one function twice is two subscriptions. */
  const listeners = new Map<() => void, SubscriptionListener>()
  let inARow = 0

  function tell(hear: SubscriptionListener, event: SubscriptionEvent): void {
    try {
      hear(event)
    } catch (error) {
      onError?.(error)
    }
  }

  return {
    async publish(event) {
      for (const hear of [...listeners.values()]) tell(hear, event)
      inARow += 1
      if (inARow < BURST) return
      inARow = 0
      await nextTurn()
    },
    subscribe(listener) {
      const leave = () => void listeners.delete(leave)
      listeners.set(leave, listener)
      return leave
    },
  }
}

/** Lets input and output happen, which no chain of resolved promises would. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

export interface ChangeNotification {
  readonly method: string
  /** Absent where the notification says all by its name. */
  readonly params?: JSONObject
}

/** The event as both eras say it; the modern one adds the subscription's id. */
export function toNotification(event: CoreChange): ChangeNotification {
  const { method } = CHANGE_NOTIFICATIONS[event.type]
  return event.type === 'resourceUpdated' ? { method, params: { uri: event.uri } } : { method }
}
