// The clock of NATS, which only shows in the times of messages: how far it is ahead of the monotonic clock of this process.

/** The server stored something between two moments here, at this time of its own. */
export interface Sample {
  readonly sentAt: number
  readonly heardAt: number
  readonly serverTime: number
}

/** The clock of the engine at one moment, as far as it is known: between `earliest` and `latest`. Whole milliseconds. */
export interface Moment {
  readonly earliest: number
  readonly now: number
  readonly latest: number
}

/** A sample is taken again after so long. */
const REFRESH_MS = 5_000
/** Sooner where the samples so far took long, and say little. */
const PRECISE_MS = 5
const REFINE_MS = 500
/** How far two clocks can drift apart meanwhile. */
const DRIFT_MS = 2

export class Clock {
  /** The offset is between these. */
  #least = Number.NEGATIVE_INFINITY
  #most = Number.POSITIVE_INFINITY
  #sampledAt = Number.NEGATIVE_INFINITY
  #refresh: () => void = () => {}
  #isRefreshing = false
  readonly #monotonic: () => number

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  /** How to take a sample, beside what is under way. */
  refreshBy(sample: () => Promise<Sample>): void {
    this.#refresh = () => {
      this.#isRefreshing = true
      sample().then(
        (found) => {
          this.#isRefreshing = false
          this.add(found)
        },
        () => {
          this.#isRefreshing = false
          // Not with every call while the engine is away.
          this.#sampledAt = this.#monotonic()
        },
      )
    }
  }

  /** In milliseconds, by the clock of the engine. */
  now(): number {
    const here = this.#monotonic()
    const restMs = this.errorMs > PRECISE_MS ? REFINE_MS : REFRESH_MS
    if (here - this.#sampledAt > restMs && !this.#isRefreshing) this.#refresh()
    return here + (this.#least + this.#most) / 2
  }

  /** The time of the engine is so far from `now()`, in milliseconds, at most. */
  get errorMs(): number {
    return (this.#most - this.#least) / 2
  }

  moment(): Moment {
    const now = this.now()
    const { errorMs } = this
    return { earliest: Math.floor(now - errorMs), now: Math.floor(now), latest: Math.ceil(now + errorMs) }
  }

  /** What two samples agree on is closer than each of them. Where they do not agree, the clock was set. */
  add({ sentAt, heardAt, serverTime }: Sample): void {
    this.#sampledAt = this.#monotonic()
    // Times of messages are read in whole milliseconds.
    const least = serverTime - heardAt
    const most = serverTime + 1 - sentAt
    const low = Math.max(least, this.#least - DRIFT_MS)
    const high = Math.min(most, this.#most + DRIFT_MS)
    this.#least = low <= high ? low : least
    this.#most = low <= high ? high : most
  }
}
