// The places of runs that work at once in a process. A run that waits for an answer gives its place to others meanwhile.
import { createDeferred, type Deferred } from '../../../../primitives/async/promises.ts'

export class WorkerSlots {
  readonly #max: number
  readonly #onFree: (wasFull: boolean) => void
  readonly #waiting = new Set<WorkerSlot>()
  #taken = 0

  constructor(max: number, onFree: (wasFull: boolean) => void) {
    this.#max = max
    this.#onFree = onFree
  }

  get free(): number {
    return Math.max(0, this.#max - this.#taken)
  }

  /** Returns `undefined` if no slot is free. */
  take(): WorkerSlot | undefined {
    if (this.free === 0) return undefined
    this.#taken += 1
    return new WorkerSlot(this)
  }

  /** Takes all that are free, and says how many. Each is for `createReserved`, or goes back with `release`. */
  reserve(): number {
    const count = this.free
    this.#taken += count
    return count
  }

  createReserved(): WorkerSlot {
    return new WorkerSlot(this)
  }

  release(count: number): void {
    for (let left = count; left > 0; left--) if (!this.#passOn()) this.#taken -= 1
  }

  /** Whether there was one. If not, the slot gets the next one. */
  retake(slot: WorkerSlot): boolean {
    if (this.free === 0) {
      this.#waiting.add(slot)
      return false
    }
    this.#taken += 1
    return true
  }

  forget(slot: WorkerSlot): void {
    this.#waiting.delete(slot)
  }

  giveBack(): void {
    if (this.#passOn()) return
    const wasFull = this.free === 0
    this.#taken -= 1
    this.#onFree(wasFull)
  }

  /** Those that have begun go before new ones. */
  #passOn(): boolean {
    for (const slot of this.#waiting) {
      this.#waiting.delete(slot)
      slot.resume(true)
      return true
    }
    return false
  }
}

export class WorkerSlot {
  readonly #slots: WorkerSlots
  #isHeld = true
  #isClosed = false
  #waits = 0
  /** Set while the run waits for its place: one wait for all questions that were answered meanwhile. */
  #resuming: Deferred<void> | undefined

  constructor(slots: WorkerSlots) {
    this.#slots = slots
  }

  /** The run does nothing but wait from here on. */
  leave(): void {
    this.#waits += 1
    this.#giveUp()
  }

  /** The run goes on once this resolves. */
  async enter(): Promise<void> {
    this.#waits -= 1
    if (this.#waits > 0 || this.#isHeld || this.#isClosed) return
    if (this.#resuming === undefined) {
      this.#isHeld = this.#slots.retake(this)
      if (this.#isHeld) return
      this.#resuming = createDeferred()
    }
    await this.#resuming.promise
  }

  /** The run is over. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#slots.forget(this)
    this.#giveUp()
    this.resume(false)
  }

  /** Called by the slots: the run has its place again or, at its end, needs none. */
  resume(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#resuming?.resolve()
    this.#resuming = undefined
  }

  #giveUp(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#slots.giveBack()
  }
}
