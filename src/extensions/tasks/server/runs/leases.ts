// Renews the leases of all runs of a process on one timer, which is set while there are any.
import type { Clock } from '../../../../primitives/async/clock.ts'
import { type Timer, unref } from '../../../../primitives/async/timer.ts'
import type { ClaimedRun } from './claimed-run.ts'

/** Leases that are due within this part of their time are renewed along with the first, so that the engine gets them together. */
const TOGETHER = 12

export class Leases {
  readonly #clock: () => Clock
  readonly #runs = new Set<ClaimedRun>()
  #timer: Timer | undefined
  #dueAt = Number.POSITIVE_INFINITY

  constructor(clock: () => Clock) {
    this.#clock = clock
  }

  add(run: ClaimedRun): void {
    this.#runs.add(run)
    if (this.#timer === undefined || run.renewAt < this.#dueAt) this.#setTimer(run.renewAt - this.#clock().monotonic())
  }

  delete(run: ClaimedRun): void {
    this.#runs.delete(run)
    if (this.#runs.size > 0) return
    this.#clock().clearTimer(this.#timer)
    this.#timer = undefined
  }

  #setTimer(ms: number): void {
    this.#clock().clearTimer(this.#timer)
    this.#dueAt = this.#clock().monotonic() + ms
    this.#timer = this.#clock().setTimer(() => this.#renewDue(), ms)
    unref(this.#timer)
  }

  #renewDue(): void {
    this.#timer = undefined
    const now = this.#clock().monotonic()
    let nextMs = Number.POSITIVE_INFINITY
    for (const run of this.#runs) {
      if (run.renewAt <= now + run.plan.leaseMs / TOGETHER) void run.renew().then(() => this.#hasRenewed(run))
      nextMs = Math.min(nextMs, run.renewAt - now)
    }
    if (this.#runs.size > 0) this.#setTimer(Math.max(1, nextMs))
  }

  /** A renewal that failed is due again sooner. */
  #hasRenewed(run: ClaimedRun): void {
    if (!this.#runs.has(run) || run.renewAt >= this.#dueAt) return
    this.#setTimer(Math.max(1, run.renewAt - this.#clock().monotonic()))
  }
}
