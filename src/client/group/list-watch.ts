// Follows the list changes that one server of a group announces, and subscribes again when a subscription ends.
import { pause } from '../../primitives/async/abort.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { ListenOptions } from '../subscriptions/listen.ts'
import type { ServerEvent } from '../subscriptions/server-events.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import { Backoff } from '../transports/retry.ts'

export interface ListWatch {
  filter: SubscriptionFilter
  /** Ends the watch. */
  signal: AbortSignal
  /** Whether the connection is gone, and the watch with it. */
  isOver(): boolean
  listen(filter: SubscriptionFilter, options: ListenOptions): Promise<Subscription>
  onEvent(event: ServerEvent): void
  /** There was no subscription for a while, so that anything may have changed. */
  onGap(): void
  /** The watch was given up. */
  onGivenUp(error: unknown): void
}

const DELAYS = { initialDelayMs: 1_000, maxDelayMs: 60_000 }
const MAX_TRIES = 8

/** Listens, and listens again when a subscription ends, with growing pauses while none of them lives. Never rejects. */
export async function watchLists(watch: ListWatch): Promise<void> {
  const { signal } = watch
  const backoff = new Backoff(DELAYS)
  let last: unknown
  let failures = 0
  for (let isRepeated = false; failures < MAX_TRIES; isRepeated = true) {
    try {
      if (isRepeated) await pause(backoff.nextDelayMs(), { signal, isBackground: true })
      await listenOnce(watch, backoff, isRepeated)
    } catch (error) {
      if (signal.aborted || watch.isOver()) return
      last = error
      if (isRefusal(error)) break
    }
    failures = backoff.ended() ? 0 : failures + 1
  }
  watch.onGivenUp(last)
}

/** Until the subscription ends. */
async function listenOnce(watch: ListWatch, backoff: Backoff, isRepeated: boolean): Promise<void> {
  const subscription = await watch.listen(watch.filter, { signal: watch.signal })
  backoff.opened()
  if (isRepeated) watch.onGap()
  for await (const event of subscription) watch.onEvent(event)
}

/** The server answered that it will not have it. */
function isRefusal(error: unknown): boolean {
  return error instanceof MCPError && !error.local
}
