// The records by which the other nodes know a node: one says that it is alive, and goes soon after the last renewal. The other says
// that it has not closed, and outlives an engine or a network that is away for a while.
import type { Records } from '../../backend/records.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { monotonicNow, type Timer, unref } from '../../primitives/async/timer.ts'
import { PACKAGE_VERSION } from '../../types/protocol/package-version.ts'

/** The version of everything that nodes store for each other. */
export const DATA_VERSION = 1

const PRESENCE_TTL_MS = 15_000
const RENEW_MS = 5_000
/** After a failure the record may be about to expire. */
const RETRY_MS = 1_000

/** How long other nodes keep an answer for a node that they cannot reach. */
export const KNOWN_TTL_MS = 10 * 60_000
const KNOWN_RENEW_MS = KNOWN_TTL_MS / 5

/** After the engine was away every node needs a moment to renew its record: until then a missing one says nothing. */
const SETTLE_MS = 10_000

/** An engine that stays away is reported this often. */
const REPORT_MS = 60_000

export class Presence {
  readonly #records: Records
  readonly #faults: FaultReporter
  readonly #key: string
  readonly #knownKey: string
  /** Called when the record is there again after it could not be renewed, or may have expired. */
  readonly #onBack: () => void
  readonly #renewMs: number
  #timer: Timer | undefined
  #isDraining = false
  #isClosed = false
  #isAway = false
  #reportedAt = Number.NEGATIVE_INFINITY
  #troubledAt = Number.NEGATIVE_INFINITY
  #knownSince = Number.NEGATIVE_INFINITY
  #renewing: Promise<boolean> | undefined

  constructor(
    records: Records,
    faults: FaultReporter,
    node: string,
    onBack: () => void = () => {},
    renewMs: number = RENEW_MS,
  ) {
    this.#records = records
    this.#faults = faults
    this.#key = presenceKey(node)
    this.#knownKey = knownKey(node)
    this.#onBack = onBack
    this.#renewMs = renewMs
  }

  /** An engine that does not answer is tried again soon. */
  async start(): Promise<void> {
    this.#schedule(await this.#renew())
  }

  /** Whether the engine has been there for long enough that every node that is alive has its record. */
  get isSettled(): boolean {
    return monotonicNow() - this.#troubledAt >= SETTLE_MS
  }

  /** The connection to the engine was lost for a while. The record may have expired meanwhile: it is renewed now. */
  async onMissed(): Promise<void> {
    this.#troubledAt = monotonicNow()
    this.#isAway = true
    if (this.#isClosed || this.#renewing !== undefined) return
    clearTimeout(this.#timer)
    this.#schedule(await this.#renew())
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
      await this.#records.delete(this.#knownKey)
    } catch {
      // They go by themselves when their time is over.
    }
  }

  #schedule(isRenewed: boolean): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    const ms = isRenewed ? this.#renewMs : Math.min(RETRY_MS, this.#renewMs)
    this.#timer = setTimeout(() => void this.#renew().then((isDone) => this.#schedule(isDone)), ms)
    unref(this.#timer)
  }

  #renew(): Promise<boolean> {
    const renewing = this.#put().finally(() => {
      if (this.#renewing === renewing) this.#renewing = undefined
    })
    this.#renewing = renewing
    return renewing
  }

  async #put(): Promise<boolean> {
    const value = JSON.stringify({ v: DATA_VERSION, release: PACKAGE_VERSION, isDraining: this.#isDraining })
    try {
      await this.#records.put(this.#key, value, { ttlMs: PRESENCE_TTL_MS })
      if (monotonicNow() - this.#knownSince >= KNOWN_RENEW_MS) {
        await this.#records.put(this.#knownKey, value, { ttlMs: KNOWN_TTL_MS })
        this.#knownSince = monotonicNow()
      }
      if (this.#isAway) {
        this.#isAway = false
        this.#onBack()
      }
      return true
    } catch (error) {
      this.#troubledAt = monotonicNow()
      this.#isAway = true
      // An engine that was restarted may have lost it.
      this.#knownSince = Number.NEGATIVE_INFINITY
      this.#report(error)
      return false
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

export function knownKey(node: string): string {
  return `k.${node}`
}
