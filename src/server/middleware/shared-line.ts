// The places of one key of limitConcurrency() over all nodes: held in the engine by leases, waited for in each process.
import type { Limits } from '../../backend/limits.ts'
import { monotonicNow, unref } from '../../primitives/async/timer.ts'
import { randomName } from '../cluster/digest.ts'
import type { PlaceLine } from './places.ts'
import type { OnUnavailable } from './shared-limits.ts'
import { Turns } from './turns.ts'

/** A place of a process that was lost is free after this time. */
const LEASE_MS = 15_000
const RENEW_MS = 5_000

/** How often a process with waiting requests looks for a free place, at most. */
const LOOK_MS = 250
/** A place goes from request to request of one process for so long. Then requests of other processes have a chance to get it. */
const TURN_MS = 1_000
const MAX_PAUSE_AFTER_TURN_MS = 100

export interface SharedLineOptions {
  readonly limits: Limits
  /** In the engine. */
  readonly key: Promise<string>
  readonly max: number
  /** In this process. */
  readonly maxWaiting: number
  readonly onUnavailable: OnUnavailable
  report(error: unknown): void
}

export class SharedLine implements PlaceLine {
  members = 0
  readonly #options: SharedLineOptions
  /** The places of this process, with the time when it got them. They are alike: whoever leaves gives back the oldest. */
  readonly #held = new Map<string, number>()
  /** Requests that run without a place in the engine: that was away when they began, or has given their place to others. */
  #uncounted = 0
  readonly #turns = new Turns()
  #lookTimer: ReturnType<typeof setTimeout> | undefined
  #renewTimer: ReturnType<typeof setInterval> | undefined
  #isLooking = false

  constructor(options: SharedLineOptions) {
    this.#options = options
  }

  get canWait(): boolean {
    return this.#turns.waiting < this.#options.maxWaiting
  }

  /** Only where others wait already: whether a place is free is known by a trip alone. */
  get isFull(): boolean {
    return this.#turns.waiting > 0 && !this.canWait
  }

  /** First come, first served, within a process. */
  async takePlace(): Promise<boolean> {
    return this.#turns.waiting === 0 && this.#hold()
  }

  async waitForPlace(signal: AbortSignal): Promise<void> {
    const turn = this.#turns.wait(signal)
    if (this.#turns.waiting > 0 && this.#lookTimer === undefined) this.#lookAfter(LOOK_MS)
    await turn
  }

  giveBack(): void {
    const [oldest] = this.#held
    if (this.#uncounted > 0) this.#uncounted -= 1
    else if (oldest !== undefined) {
      const [holder, since] = oldest
      if (monotonicNow() - since < TURN_MS && this.#turns.callNext()) return
      this.#held.delete(holder)
      this.#release(holder)
    }
    if (this.#held.size === 0) this.#stopRenewing()
    if (this.#turns.waiting > 0) this.#lookAfter(Math.random() * MAX_PAUSE_AFTER_TURN_MS)
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#lookTimer)
    this.#lookTimer = setTimeout(() => {
      this.#lookTimer = undefined
      void this.#look()
    }, ms)
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      while (this.#turns.waiting > 0 && (await this.#hold())) {
        // All who waited may have left meanwhile.
        if (!this.#turns.callNext()) this.giveBack()
      }
    } finally {
      this.#isLooking = false
    }
    if (this.#turns.waiting > 0) this.#lookAfter((LOOK_MS * (1 + Math.random())) / 2)
  }

  /** Takes a place in the engine, or without it where the engine is away and `onUnavailable` says so. */
  async #hold(): Promise<boolean> {
    const { limits, max, onUnavailable } = this.#options
    const holder = randomName(12)
    try {
      const isHeld = await limits.hold(await this.#options.key, holder, { max, ttlMs: LEASE_MS })
      if (isHeld) this.#keep(holder)
      return isHeld
    } catch (error) {
      this.#options.report(error)
      // It may have been taken all the same.
      this.#release(holder)
      const running = this.#held.size + this.#uncounted
      if (onUnavailable === 'refuse' || (onUnavailable === 'local' && running >= max)) return false
      this.#uncounted += 1
      return true
    }
  }

  #keep(holder: string): void {
    this.#held.set(holder, monotonicNow())
    if (this.#renewTimer !== undefined) return
    this.#renewTimer = setInterval(() => void this.#renew(), RENEW_MS)
    unref(this.#renewTimer)
  }

  async #renew(): Promise<void> {
    const { limits, key, max, report } = this.#options
    const name = await key
    const renewOne = async (holder: string) => {
      const isHeld = await limits.hold(name, holder, { max, ttlMs: LEASE_MS })
      // The lease ran out, as while the process stood still. Its request goes on; the place is another's.
      if (!isHeld && this.#held.delete(holder)) this.#uncounted += 1
      // Given back while it was renewed.
      else if (isHeld && !this.#held.has(holder)) this.#release(holder)
    }
    await Promise.all([...this.#held.keys()].map((holder) => renewOne(holder).catch(report)))
  }

  #release(holder: string): void {
    const { limits, key } = this.#options
    // What fails is free when the lease ends.
    const release = async () => limits.release(await key, holder)
    release().catch(() => {})
  }

  #stopRenewing(): void {
    clearInterval(this.#renewTimer)
    this.#renewTimer = undefined
  }
}
