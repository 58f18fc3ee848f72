// After messages of other nodes were lost: every client hears once of everything that it watches, not all of them at the same time.
import type { Clock } from '../../primitives/async/clock.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import type { SubscriptionEvent } from './subscriptions.ts'

const SPREAD_MS = 5_000
const STEPS = 50

type Tell = (event: SubscriptionEvent) => void

export class CatchUp {
  readonly #clock: () => Clock
  readonly #changesOf: (topics: ReadonlySet<string>) => readonly SubscriptionEvent[]
  readonly #listeners: () => readonly Tell[]
  /** For the next round. What is missed during a round is for the next one: some have been told by then. */
  #missed = new Set<string>()
  #timer: Timer | undefined

  constructor(
    clock: () => Clock,
    changesOf: (topics: ReadonlySet<string>) => readonly SubscriptionEvent[],
    listeners: () => readonly Tell[],
  ) {
    this.#clock = clock
    this.#changesOf = changesOf
    this.#listeners = listeners
  }

  add(topic: string): void {
    this.#missed.add(topic)
    // A broken connection is reported for one topic after the other: they have one round.
    if (this.#timer === undefined) this.#later(() => this.#begin())
  }

  close(): void {
    this.#clock().clearTimer(this.#timer)
    this.#timer = undefined
    this.#missed.clear()
  }

  #begin(): void {
    const missed = this.#missed
    this.#missed = new Set()
    const listeners = shuffle([...this.#listeners()])
    this.#step(this.#changesOf(missed), listeners, Math.max(1, Math.ceil(listeners.length / STEPS)))
  }

  #step(changes: readonly SubscriptionEvent[], listeners: Tell[], count: number): void {
    for (const tell of listeners.splice(0, count)) for (const event of changes) tell(event)
    if (listeners.length > 0) this.#later(() => this.#step(changes, listeners, count))
    else if (this.#missed.size > 0) this.#later(() => this.#begin())
  }

  #later(work: () => void): void {
    this.#timer = this.#clock().setTimer(() => {
      this.#timer = undefined
      work()
    }, SPREAD_MS / STEPS)
    unref(this.#timer)
  }
}

function shuffle<T>(items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    const item = items[last] as T
    items[last] = items[other] as T
    items[other] = item
  }
  return items
}
