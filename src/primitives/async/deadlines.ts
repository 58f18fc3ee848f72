// Many deadlines on one timer: setting, moving and dropping one costs no timer of its own.
import { type Clock, systemClock } from './clock.ts'
import { MAX_TIMER_MS, ref, type Timer, unref } from './timer.ts'

/** Something that is due at a moment of the monotonic clock. */
export interface Due {
  /** `Infinity` while nothing is due. Move it with `Deadlines.move`. */
  dueAt: number
  /** Where it stands in the set, for the set alone to know. */
  place?: number | undefined
  /** Called once, after the entry has left the set. */
  onDue(): void
}

/** A timer that is later than this was held up: the loop was blocked, and what came in meanwhile is not read yet. */
const LATE_MS = 10

/** What came in while the loop was blocked gets so many turns of it to be read: over HTTP, an answer takes several. */
const LATE_TURNS = 8

/**
 * A set of deadlines. The timer is armed for the earliest one it knew of; when it fires early because that one moved or
 * went, it looks again. A process is kept alive exactly while the set is not empty.
 */
export class Deadlines {
  // No `Set`: entries come and go with every call, and V8 keeps the tables that a set has outgrown for long.
  readonly #entries: Due[] = []
  readonly #clock: Clock
  readonly #keepsAlive: boolean
  #timer: Timer | undefined
  #firesAt = Infinity

  /** With `keepsAlive: false` the process may end although something is due. */
  constructor(clock: Clock = systemClock, { keepsAlive = true }: { readonly keepsAlive?: boolean } = {}) {
    this.#clock = clock
    this.#keepsAlive = keepsAlive
  }

  get size(): number {
    return this.#entries.length
  }

  add(entry: Due): void {
    entry.place ??= this.#entries.push(entry) - 1
    if (this.#keepsAlive && this.#timer !== undefined && this.#entries.length === 1) ref(this.#timer)
    this.#armFor(entry.dueAt)
  }

  /** Gives an entry another moment; `Infinity` suspends it. */
  move(entry: Due, dueAt: number): void {
    entry.dueAt = dueAt
    if (entry.place !== undefined) this.#armFor(dueAt)
  }

  delete(entry: Due): void {
    if (entry.place === undefined) return
    this.#remove(entry)
    if (this.#keepsAlive && this.#entries.length === 0 && this.#timer !== undefined) unref(this.#timer)
  }

  /** The last one takes the place that becomes free. */
  #remove(entry: Due): void {
    const { place } = entry
    const last = this.#entries.pop()
    if (last !== undefined && last !== entry && place !== undefined) {
      this.#entries[place] = last
      last.place = place
    }
    entry.place = undefined
  }

  /** Drops everything, the timer too. */
  clear(): void {
    for (const entry of this.#entries) entry.place = undefined
    this.#entries.length = 0
    this.#disarm()
  }

  #armFor(dueAt: number): void {
    if (dueAt >= this.#firesAt) return
    this.#disarm()
    this.#firesAt = dueAt
    const delay = Math.min(Math.max(0, Math.ceil(dueAt - this.#clock.monotonic())), MAX_TIMER_MS)
    this.#timer = this.#clock.setTimer(this.#fire, delay)
    if (!this.#keepsAlive) unref(this.#timer)
  }

  #disarm(): void {
    this.#clock.clearTimer(this.#timer)
    this.#timer = undefined
    this.#firesAt = Infinity
  }

  readonly #fire = (): void => {
    const isLate = this.#clock.monotonic() - this.#firesAt > LATE_MS
    if (isLate) this.#tellAfter(LATE_TURNS)
    else this.#tellDue()
  }

  /** So many turns and no more, or a loop that is always busy would never give anything up. */
  #tellAfter(turns: number): void {
    if (turns === 0 || this.#entries.length === 0) {
      this.#tellDue()
      return
    }
    this.#firesAt = -Infinity
    this.#timer = this.#clock.setTimer(() => this.#tellAfter(turns - 1), 0)
  }

  readonly #tellDue = (): void => {
    this.#timer = undefined
    this.#firesAt = Infinity
    const now = this.#clock.monotonic()
    const due: Due[] = []
    let next = Infinity
    for (const entry of this.#entries) {
      if (entry.dueAt <= now) due.push(entry)
      else if (entry.dueAt < next) next = entry.dueAt
    }
    for (const entry of due) this.#remove(entry)
    if (next !== Infinity) this.#armFor(next)
    for (const entry of due) entry.onDue()
  }
}
