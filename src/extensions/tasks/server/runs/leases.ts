// Renews the leases of all runs of a process on one timer, which is set while there are any.
import type { Clock } from '../../../../primitives/async/clock.ts'
import { type Timer, unref } from '../../../../primitives/async/timer.ts'
import type { ClaimedRun } from './claimed-run.ts'

/** A lease is renewed after a third of its time, so that two renewals may fail. */
const SHARE = 3

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
    const shareMs = run.plan.leaseMs / SHARE
    if (this.#timer === undefined || this.#clock().monotonic() + shareMs < this.#dueAt) this.#setTimer(shareMs)
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
      const shareMs = run.plan.leaseMs / SHARE
      if (run.renewedAt + shareMs <= now) void run.renew()
      nextMs = Math.min(nextMs, run.renewedAt + shareMs - now)
    }
    if (this.#runs.size > 0) this.#setTimer(Math.max(1, nextMs))
  }
}
