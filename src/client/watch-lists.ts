// Follows the changes of a server's lists in the modern era, over as many subscriptions as that takes.
import { MCPError } from '../types/errors.ts'
import type { SubscriptionFilter } from '../types/subscriptions.ts'
import type { ListenOptions } from './listen.ts'
import { pause } from './pause.ts'
import type { ServerEvent } from './server-events.ts'
import type { Subscription } from './subscription.ts'

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

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const MAX_TRIES = 8

/** Listens, and listens again when a subscription ends, with growing pauses while nothing comes of it. Never rejects. */
export async function watchLists(watch: ListWatch): Promise<void> {
  const { signal } = watch
  let last: unknown
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      if (tries > 0) await pause(pauseBefore(tries), { signal, isBackground: true })
      const hadEvents = await listenOnce(watch, tries > 0)
      if (hadEvents) tries = 0
    } catch (error) {
      if (signal.aborted || watch.isOver()) return
      last = error
      if (isRefusal(error)) break
    }
  }
  watch.onGivenUp(last)
}

/** Until the subscription ends. Resolves to whether it told of anything. */
async function listenOnce(watch: ListWatch, isRepeated: boolean): Promise<boolean> {
  let hadEvents = false
  const subscription = await watch.listen(watch.filter, { signal: watch.signal })
  if (isRepeated) watch.onGap()
  for await (const event of subscription) {
    hadEvents = true
    watch.onEvent(event)
  }
  return hadEvents
}

function pauseBefore(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS)
}

/** The server answered that it will not have it. */
function isRefusal(error: unknown): boolean {
  return error instanceof MCPError && !error.local
}
