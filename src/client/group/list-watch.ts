// Follows the list changes that one server of a group announces, and subscribes again when a subscription ends.
import { pause } from '../../primitives/async/abort.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { ListenOptions } from '../subscriptions/listen.ts'
import type { ChangeEvent } from '../subscriptions/server-events.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import { Backoff } from '../transports/retry.ts'

export interface ListWatch {
  filter: SubscriptionFilter
  /** Ends the watch. */
  signal: AbortSignal
  /** Whether the connection has ended, and the watch with it. */
  isOver(): boolean
  listen(filter: SubscriptionFilter, options: ListenOptions): Promise<Subscription>
  onEvent(event: ChangeEvent): void
  /** The first subscription is open: changes of what was listed before were not announced. */
  onOpened(): void
  /** There was no subscription for a while, so every list may have changed. */
  onGap(): void
  /** No further attempt is made. */
  onGivenUp(error: unknown): void
}

const WATCH_DELAYS = { initialDelayMs: 1_000, maxDelayMs: 60_000 }
const MAX_FAILURES = 8

/** Listens, and listens again when a subscription ends, with growing delays until one was stable. Never rejects. */
export async function watchLists(watch: ListWatch): Promise<void> {
  const { signal } = watch
  const backoff = new Backoff(WATCH_DELAYS)
  let last: unknown
  let failures = 0
  for (let isRepeated = false; failures < MAX_FAILURES; isRepeated = true) {
    try {
      if (isRepeated) await pause(backoff.nextDelayMs(), { signal, isBackground: true })
      await listenOnce(watch, backoff, isRepeated)
    } catch (error) {
      if (signal.aborted || watch.isOver()) return
      last = error
      if (isErrorResponse(error)) break
    }
    failures = backoff.ended() ? 0 : failures + 1
  }
  watch.onGivenUp(last)
}

/** Resolves when the subscription ends. */
async function listenOnce(watch: ListWatch, backoff: Backoff, isRepeated: boolean): Promise<void> {
  const subscription = await watch.listen(watch.filter, { signal: watch.signal })
  backoff.opened()
  if (isRepeated) watch.onGap()
  else watch.onOpened()
  for await (const event of subscription) if (event.type !== 'extension') watch.onEvent(event)
}

/** The server rejected the subscription. */
function isErrorResponse(error: unknown): boolean {
  return error instanceof MCPError && !error.local
}
