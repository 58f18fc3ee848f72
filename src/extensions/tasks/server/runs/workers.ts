// Runs the tasks of a store in this process: so many at once, woken by hints, looking for lost ones from time to time.
import type { Claim, TaskStore } from '../../../../backend/task-store.ts'
import type { Clock } from '../../../../primitives/async/clock.ts'
import { type Timer, unref } from '../../../../primitives/async/timer.ts'
import { FIRST_LEASE_MS } from './claimed-run.ts'
import { type WorkerSlot, WorkerSlots } from './worker-slots.ts'

/** How often to look without a hint: hints get lost, and a store ends what is overdue when it is looked at. */
const LOOK_MS = 2_000

export interface WorkersOptions {
  readonly store: TaskStore
  readonly clock: () => Clock
  readonly name: string
  readonly max: number
  /** The lease of a claim, until whoever runs it renews it. */
  readonly firstLeaseMs?: number
  /** The tools that can run here. */
  kinds(): readonly string[]
  /** Runs a claim until its handler has ended. Never rejects. */
  run(claim: Claim, slot: WorkerSlot): Promise<unknown>
  onError(error: unknown): void
}

export class Workers {
  readonly #options: WorkersOptions
  readonly #slots: WorkerSlots
  #isOpen = false
  #isClaiming = false
  #isWokenAgain = false
  #look: Timer | undefined

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#slots = new WorkerSlots(options.max, (wasFull) => {
      // Otherwise whatever could be claimed has been: each hint has found room.
      if (wasFull || this.#isClaiming) this.wake()
    })
  }

  get firstLeaseMs(): number {
    return this.#options.firstLeaseMs ?? FIRST_LEASE_MS
  }

  /** Takes the place of one more run at once, so that calls of the same moment don't take it together; `undefined` where none is free. */
  reserve(): WorkerSlot | undefined {
    return this.#isOpen ? this.#slots.take() : undefined
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
  async start(claim: Claim, slot: WorkerSlot): Promise<void> {
    try {
      await this.#options.run(claim, slot)
    } finally {
      slot.close()
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
    const { store, name, kinds } = this.#options
    // Also with no room: the store ends what is overdue.
    const room = this.#slots.reserve()
    let unused = room
    try {
      const claims = await store.claim(name, { kinds: kinds(), max: room, leaseMs: this.firstLeaseMs })
      unused -= claims.length
      for (const claim of claims) void this.start(claim, this.#slots.createReserved())
    } finally {
      // What was created meanwhile and found no place has woken the workers again.
      this.#slots.release(unused)
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
