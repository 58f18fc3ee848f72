// The record by which the other nodes know that a node is alive: it is renewed while the node runs, and goes when it does not.
import type { Records } from '../../backend/records.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { monotonicNow, type Timer, unref } from '../../primitives/async/timer.ts'
import { PACKAGE_VERSION } from '../../types/protocol/package-version.ts'

/** The version of everything that nodes store for each other. */
export const DATA_VERSION = 1

const PRESENCE_TTL_MS = 15_000
const RENEW_MS = 5_000

/** An engine that stays away is reported this often. */
const REPORT_MS = 60_000

export class Presence {
  readonly #records: Records
  readonly #faults: FaultReporter
  readonly #key: string
  readonly #renewMs: number
  #timer: Timer | undefined
  #isDraining = false
  #isClosed = false
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(records: Records, faults: FaultReporter, node: string, renewMs: number = RENEW_MS) {
    this.#records = records
    this.#faults = faults
    this.#key = presenceKey(node)
    this.#renewMs = renewMs
  }

  /** An engine that does not answer is tried again with the next renewal. */
  async start(): Promise<void> {
    await this.#renew()
    if (!this.#isClosed) this.#schedule()
  }

  /** From here on the record says that the node is about to end. */
  async drain(): Promise<void> {
    if (this.#isDraining || this.#isClosed) return
    this.#isDraining = true
    await this.#renew()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    try {
      await this.#records.delete(this.#key)
    } catch {
      // It goes by itself when its time is over.
    }
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#renew().then(() => this.#isClosed || this.#schedule()), this.#renewMs)
    unref(this.#timer)
  }

  async #renew(): Promise<void> {
    const value = JSON.stringify({ v: DATA_VERSION, release: PACKAGE_VERSION, isDraining: this.#isDraining })
    try {
      await this.#records.put(this.#key, value, { ttlMs: PRESENCE_TTL_MS })
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    if (this.#isClosed || monotonicNow() - this.#reportedAt < REPORT_MS) return
    this.#reportedAt = monotonicNow()
    const message = 'The record of this node could not be renewed. Other nodes may take it for lost.'
    this.#faults.report({ kind: 'transport', message, error })
  }
}

export function presenceKey(node: string): string {
  return `n.${node}`
}
