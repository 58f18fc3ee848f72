// Nodes with other secrets cannot read what this one stores, and would answer its sessions with 404. A record that every node reads
// and keeps alive shows that when a node starts.
import { BackendError } from '../../backend/backend-error.ts'
import type { Records } from '../../backend/records.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { decodeObject } from './node-message.ts'

const KEY = 'c.seal'
const VALUE = JSON.stringify({ v: 1 })

/** It is gone soon after the last node: then the next one may have any secrets. */
const TTL_MS = 15_000
const RENEW_MS = 5_000

const ENCRYPTED =
  'Other nodes in this namespace encrypt what they store, and this node has no `seal`. Give all nodes the same `seal`.'
const UNREADABLE =
  'Other nodes in this namespace have other secrets in `seal`, or none: no node can read what another one stores. Give all nodes the same `seal`.'
const AFTER_THEM = `If those nodes have ended, start again after ${TTL_MS / 1_000} seconds.`

export class SealCheck {
  readonly #records: Records
  readonly #faults: FaultReporter
  #timer: Timer | undefined
  #isClosed = false
  #isReported = false

  constructor(records: Records, faults: FaultReporter) {
    this.#records = records
    this.#faults = faults
  }

  /** Rejects where this node and the others cannot read each other. An engine that does not answer is asked again later. */
  async start(): Promise<void> {
    const problem = await this.#look(true)
    if (problem !== undefined) {
      throw new BackendError(`${problem} ${AFTER_THEM}`, { kind: 'refused', operation: 'open' })
    }
    this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#renew(), RENEW_MS)
    unref(this.#timer)
  }

  async #renew(): Promise<void> {
    const problem = await this.#look(false)
    if (problem !== undefined && !this.#isReported && !this.#isClosed) {
      this.#isReported = true
      this.#faults.report({ kind: 'configuration-warning', message: problem })
    }
    this.#schedule()
  }

  /** What is wrong; `undefined` also where the engine does not say. */
  async #look(isStart: boolean): Promise<string | undefined> {
    try {
      // Twice, because it may expire between the two trips. What is there and cannot be read is of another secret.
      for (let tries = 0; tries < 2; tries += 1) {
        if ((await this.#records.put(KEY, VALUE, { ttlMs: TTL_MS, if: 'absent' })) !== undefined) return undefined
        const kept = await this.#records.get(KEY, { touchMs: TTL_MS })
        if (kept === undefined) continue
        if (decodeObject(kept.value) === undefined) return ENCRYPTED
        // Sealed anew with the first secret of this node, so that the last one of a rotation can go.
        if (isStart) await this.#records.put(KEY, VALUE, { ttlMs: TTL_MS, if: { revision: kept.revision } })
        return undefined
      }
      return UNREADABLE
    } catch {
      return undefined
    }
  }
}
