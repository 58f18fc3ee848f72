// Runs the tasks of a store in this process: so many at once, woken by hints, looking for lost ones from time to time.
import type { Claim, TaskStore } from '../../../backend/task-store.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import { type Timer, unref } from '../../../primitives/async/timer.ts'

/** How often to look without a hint: hints get lost, and a store ends what is overdue when it is looked at. */
const LOOK_MS = 5_000

/** Of a claim, before the run renews it with the lease of its tool. */
const FIRST_LEASE_MS = 30_000

export interface WorkersOptions {
  readonly store: TaskStore
  readonly clock: () => Clock
  readonly name: string
  readonly max: number
  /** The lease of a claim, until whoever runs it renews it. */
  readonly firstLeaseMs?: number
  /** The tools that can run here. */
  kinds(): readonly string[]
  /** Runs a claim to its end. Never rejects. */
  run(claim: Claim): Promise<unknown>
  onError(error: unknown): void
}

export class Workers {
  readonly #options: WorkersOptions
  /** Places of runs that are taken, whether the run has begun or is about to. */
  #taken = 0
  #isOpen = false
  #isClaiming = false
  #isWokenAgain = false
  #look: Timer | undefined

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  get firstLeaseMs(): number {
    return this.#options.firstLeaseMs ?? FIRST_LEASE_MS
  }

  /** Takes the place of one more run at once, so that calls of the same moment don't take it together; false where none is free. */
  reserve(): boolean {
    if (!this.#isOpen || this.#taken >= this.#options.max) return false
    this.#taken += 1
    return true
  }

  /** Gives a place back that was reserved. */
  release(): void {
    const wasFull = this.#taken >= this.#options.max
    this.#taken -= 1
    // Otherwise whatever could be claimed has been: each hint has found room.
    if (wasFull || this.#isClaiming) this.wake()
  }

  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#lookLater()
    this.wake()
  }

  /** Claims nothing more. Runs that have begun go on. */
  close(): void {
    this.#isOpen = false
    this.#options.clock().clearTimer(this.#look)
    this.#look = undefined
  }

  /** Runs a claim in a place that was reserved, and gives the place back. */
  async start(claim: Claim): Promise<void> {
    try {
      await this.#options.run(claim)
    } finally {
      this.release()
    }
  }

  /** There may be something to claim. */
  wake(): void {
    if (!this.#isOpen) return
    this.#isWokenAgain = true
    if (!this.#isClaiming) void this.#claimAll()
  }

  async #claimAll(): Promise<void> {
    this.#isClaiming = true
    try {
      while (this.#isWokenAgain && this.#isOpen) {
        this.#isWokenAgain = false
        await this.#claim()
      }
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#isClaiming = false
    }
  }

  async #claim(): Promise<void> {
    const { store, name, max, kinds } = this.#options
    // Also with no room: the store ends what is overdue.
    const room = Math.max(0, max - this.#taken)
    this.#taken += room
    let unused = room
    try {
      const claims = await store.claim(name, { kinds: kinds(), max: room, leaseMs: this.firstLeaseMs })
      unused -= claims.length
      for (const claim of claims) void this.start(claim)
    } finally {
      // What was created meanwhile and found no place has woken the workers again.
      this.#taken -= unused
    }
  }

  #lookLater(): void {
    this.#look = this.#options.clock().setTimer(() => {
      if (!this.#isOpen) return
      this.wake()
      this.#lookLater()
    }, LOOK_MS)
    unref(this.#look)
  }
}
