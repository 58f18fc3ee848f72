// Runs the tasks of a store in this process: so many at once, woken by hints, looking for lost ones from time to time.
import type { Claim, TaskStore } from '../../../../backend/task-store.ts'
import type { Clock } from '../../../../primitives/async/clock.ts'
import { type Timer, unref } from '../../../../primitives/async/timer.ts'
import { type WorkerSlot, WorkerSlots } from './worker-slots.ts'

/** How often to look without a hint: hints get lost, and a store ends what is overdue when it is looked at. */
const LOOK_MS = 2_000

/** The lease of a claim that can find nothing, and only lets the store end what is overdue. */
const EMPTY_LEASE_MS = 30_000

export interface WorkersOptions {
  readonly store: TaskStore
  readonly clock: () => Clock
  readonly name: string
  readonly max: number
  tools(): readonly string[]
  /** The lease of a tool whose tasks can run here. */
  leaseOf(tool: string): number | undefined
  /** Runs a claim with this lease until its handler has ended. Never rejects. */
  run(claim: Claim, slot: WorkerSlot, leaseMs?: number): Promise<unknown>
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
  async start(claim: Claim, slot: WorkerSlot, leaseMs?: number): Promise<void> {
    try {
      await this.#options.run(claim, slot, leaseMs)
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
    const { store, name } = this.#options
    const { kinds, leaseMs } = this.#findKinds()
    // The claim is made even with no room, so that the store ends what is overdue.
    const room = this.#slots.reserve()
    let unused = room
    try {
      const claims = await store.claim(name, { kinds, max: room, leaseMs })
      unused -= claims.length
      for (const claim of claims) void this.start(claim, this.#slots.createReserved(), leaseMs)
    } finally {
      // What was created meanwhile and found no place has woken the workers again.
      this.#slots.release(unused)
    }
  }

  /** The tools that can run here, and the shortest of their leases: a task that is lost at once is soon found. */
  #findKinds(): { kinds: string[]; leaseMs: number } {
    const kinds: string[] = []
    let leaseMs = Number.POSITIVE_INFINITY
    for (const tool of this.#options.tools()) {
      const ofTool = this.#options.leaseOf(tool)
      if (ofTool === undefined) continue
      kinds.push(tool)
      leaseMs = Math.min(leaseMs, ofTool)
    }
    return { kinds, leaseMs: kinds.length === 0 ? EMPTY_LEASE_MS : leaseMs }
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
