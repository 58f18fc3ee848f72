// The records of all sessions, on whatever engine the nodes share.
import type { Backend } from '../../backend/backend.ts'
import { BackendError } from '../../backend/backend-error.ts'
import { MAX_TTL_MS } from '../../backend/rules.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { decodeSessionRecord, type SessionRecord } from './session-record.ts'

/** A record as it was read, with the revision that a change of it must name. */
export interface StoredSession {
  readonly record: SessionRecord
  readonly revision: string
}

/** How often a change is tried that others overtake. */
const MAX_TRIES = 8

/** After a failure nobody tries again for this long, so that an engine that is away does not cost each request its time limit. */
const PAUSE_MS = 1_000

export class SessionRegistry {
  readonly #backend: Backend
  readonly #faults: FaultReporter
  readonly #ttlMs: number
  #failedAt = Number.NEGATIVE_INFINITY

  /** A session that nobody uses for `idleMs` is gone. */
  constructor(backend: Backend, faults: FaultReporter, idleMs: number) {
    this.#backend = backend
    this.#faults = faults
    this.#ttlMs = Math.min(idleMs, MAX_TTL_MS)
  }

  /** Every node can read the session once this resolves. Rejects with `BackendError` where that is not so. */
  async create(digest: string, record: SessionRecord): Promise<StoredSession> {
    const options = { ttlMs: this.#ttlMs, if: 'absent' } as const
    const revision = await this.#trip(async () =>
      this.#backend.records.put(keyOf(digest), JSON.stringify(record), options),
    )
    if (revision === undefined) throw refused('A session with this id exists already.')
    return { record, revision }
  }

  /** Also counts as use of the session. `undefined` for a session that has ended, or never began. */
  async read(digest: string): Promise<StoredSession | undefined> {
    if (monotonicNow() - this.#failedAt < PAUSE_MS) {
      const message = `The engine failed less than ${PAUSE_MS} ms ago.`
      throw new BackendError(message, { kind: 'unavailable', operation: 'records.get' })
    }
    const kept = await this.#trip(async () => this.#backend.records.get(keyOf(digest), { touchMs: this.#ttlMs }))
    if (kept === undefined) return undefined
    const record = decodeSessionRecord(kept.value)
    if (record !== undefined) return { record, revision: kept.revision }
    this.#faults.report({ kind: 'transport', message: 'The record of a session is corrupt. The session has ended.' })
    return undefined
  }

  /**
   * Changes the record as it is then. `change` may be called several times, and returns `undefined` where there is nothing to
   * change. `undefined` for a session that has ended.
   */
  async update(
    digest: string,
    change: (record: SessionRecord) => SessionRecord | undefined,
  ): Promise<StoredSession | undefined> {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const stored = await this.read(digest)
      const changed = stored && change(stored.record)
      if (stored === undefined || changed === undefined) return stored
      const options = { ttlMs: this.#ttlMs, if: { revision: stored.revision } }
      const revision = await this.#trip(async () =>
        this.#backend.records.put(keyOf(digest), JSON.stringify(changed), options),
      )
      if (revision !== undefined) return { record: changed, revision }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** tries))
    }
    throw refused(`The record of a session was changed by others ${MAX_TRIES} times in a row.`)
  }

  /** Also what handlers kept with it. */
  async delete(digest: string): Promise<void> {
    await this.#trip(async () => this.#backend.records.delete(keyOf(digest)))
    await this.#trip(async () => this.#backend.records.delete(valuesKeyOf(digest)))
  }

  /** A place among the sessions of a principal, over all nodes. A session in use holds it again every quarter of its time. */
  hold(principal: string, digest: string, max: number): Promise<boolean> {
    const options = { max, ttlMs: Math.min(this.#ttlMs * 1.25, MAX_TTL_MS) }
    return this.#trip(async () => this.#backend.limits.hold(placesOf(principal), digest, options))
  }

  release(principal: string, digest: string): Promise<void> {
    return this.#trip(async () => this.#backend.limits.release(placesOf(principal), digest))
  }

  /** A session in use touches its values every quarter of its time, so that they outlive it. */
  async readValues(digest: string): Promise<{ text: string; revision: string } | undefined> {
    const options = { touchMs: this.#valuesMs }
    const kept = await this.#trip(async () => this.#backend.records.get(valuesKeyOf(digest), options))
    return kept && { text: kept.value, revision: kept.revision }
  }

  /** False where others have changed the values since they were read. */
  async writeValues(digest: string, text: string, revision: string | undefined): Promise<boolean> {
    const options = { ttlMs: this.#valuesMs, if: revision === undefined ? ('absent' as const) : { revision } }
    const done = await this.#trip(async () => this.#backend.records.put(valuesKeyOf(digest), text, options))
    return done !== undefined
  }

  get #valuesMs(): number {
    return Math.min(this.#ttlMs * 2, MAX_TTL_MS)
  }

  /** How often what stands beside the record is touched while the session is used. */
  get renewMs(): number {
    return this.#ttlMs / 4
  }

  async #trip<T>(work: () => Promise<T>): Promise<T> {
    try {
      const done = await work()
      this.#failedAt = Number.NEGATIVE_INFINITY
      return done
    } catch (error) {
      this.#fail(error)
      throw error
    }
  }

  #fail(error: unknown): void {
    // An engine that is full, or holds something unreadable, still answers.
    if (error instanceof BackendError && !isAway(error)) return
    this.#failedAt = monotonicNow()
    // Passed on once a minute, as whatever is said of an engine that is away.
    const message = 'The engine that keeps the sessions failed. Sessions that were used lately go on for a while.'
    this.#faults.report({ kind: 'transport', message, error })
  }
}

function isAway({ kind }: BackendError): boolean {
  return kind === 'unavailable' || kind === 'timeout'
}

function refused(message: string): BackendError {
  return new BackendError(message, { kind: 'refused', operation: 'records.put' })
}

function keyOf(digest: string): string {
  return `s.${digest}`
}

function valuesKeyOf(digest: string): string {
  return `d.${digest}`
}

function placesOf(principal: string): string {
  return `p.${principal}`
}
