// The limits of tasks. What is stored is counted by each node; a message for each owner has what is being created at this moment, changed
// by compare-and-set, so that nodes that create at once do not pass the owner's limit together. The limits of bytes and of all tasks may
// be passed by what is stored at the same moment.
import { BackendError } from '../../backend/backend-error.ts'
import { limitReached } from '../../backend/byte-budget.ts'
import { NOBODY, type TaskStoreLimits } from '../../backend/task-store.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import type { Trip } from '../connection/trip.ts'
import { inTime, type Waiting } from '../connection/waiting.ts'
import type { Engine } from '../engine/engine.ts'
import type { OpenTasks } from './open-tasks.ts'

/** A task that was to be created so long ago is there by now, or never will be. */
const CREATING_MS = 10_000
const MAX_WAIT_MS = 10
const MAX_TOGETHER = 256

interface WaitingTask extends Waiting {
  readonly id: string
  readonly perOwner: number
  resolve(isAdmitted: boolean): void
}

/** When each was to be created, by its id. */
type Creating = Readonly<Record<string, number>>

export class TaskAdmission {
  readonly #engine: Engine
  readonly #open: OpenTasks
  /** Tasks of one owner that are to be announced: those that come while others are on their way go together. */
  readonly #waiting = new Map<string, WaitingTask[]>()

  constructor(engine: Engine, open: OpenTasks) {
    this.#engine = engine
    this.#open = open
  }

  /** Rejects with `BackendError` where one more task would pass a limit. `settle` ends what is overdue. */
  async admit(
    { id, owner }: { readonly id: string; readonly owner: string },
    bytes: number,
    limits: TaskStoreLimits,
    settle: () => Promise<void>,
  ): Promise<void> {
    if (Object.values(limits).every((limit) => limit === undefined)) return
    const attempt = () => this.#admit(id, owner, bytes, limits)
    try {
      await attempt()
    } catch (error) {
      // What has ended makes room. An engine that does not answer is not asked once more.
      if (!(error instanceof BackendError) || error.limit === undefined) throw error
      await settle()
      await attempt()
    }
  }

  /** Throws where so many more bytes would pass a limit, as far as is known here. */
  checkBytes(operation: string, owner: string, bytes: number, limits: TaskStoreLimits): void {
    if (bytes <= 0) return
    const now = this.#engine.clock.now()
    const { maxBytesPerOwner = Infinity, maxBytes = Infinity } = limits
    if (owner !== NOBODY && this.#open.bytes(owner, now) + bytes > maxBytesPerOwner) {
      throw limitReached(operation, 'maxBytesPerOwner', limits)
    }
    if (this.#open.bytes(undefined, now) + bytes > maxBytes) throw limitReached(operation, 'maxBytes', limits)
  }

  async #admit(id: string, owner: string, bytes: number, limits: TaskStoreLimits): Promise<void> {
    const { perOwner, total = Infinity } = limits
    if (owner === NOBODY || perOwner === undefined) await this.#open.refresh('tasks.create')
    else if (!(await this.#announce(id, owner, perOwner))) throw limitReached('tasks.create', 'perOwner', limits)
    if (this.#open.has(id)) return
    if (this.#open.size >= total) throw limitReached('tasks.create', 'total', limits)
    this.checkBytes('tasks.create', owner, bytes, limits)
  }

  /** False: there are as many as the owner may have, with those that are being created. */
  #announce(id: string, owner: string, perOwner: number): Promise<boolean> {
    const { promise, resolve, reject } = createDeferred<boolean>()
    const waiting = this.#waiting.get(owner)
    const endsAt = performance.now() + this.#engine.link.timeoutMs
    const own = { operation: 'tasks.create', endsAt, id, perOwner, resolve, reject }
    if (waiting !== undefined) waiting.push(own)
    else {
      this.#waiting.set(owner, [own])
      void this.#announceAll(owner)
    }
    return promise
  }

  /** Never rejects. */
  async #announceAll(owner: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(owner) ?? []
      if (waiting.length === 0) break
      const batch = inTime(waiting.splice(0, MAX_TOGETHER), this.#engine.link.timeoutMs)
      if (batch.length === 0) continue
      try {
        const admitted = await this.#engine.perform('tasks.create', (trip) => this.#announceOnce(trip, owner, batch))
        for (const { id, resolve } of batch) resolve(admitted.has(id))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#waiting.delete(owner)
  }

  /** The ids of those that are let in. */
  async #announceOnce(trip: Trip, owner: string, batch: readonly WaitingTask[]): Promise<ReadonlySet<string>> {
    const { state, names, clock } = this.#engine
    const subject = names.creating(owner)
    const writeId = this.#engine.newId()
    for (;;) {
      const found = await state.last(trip, subject)
      // After the message was read: what it has no more is found among those that are stored.
      await this.#open.refresh('tasks.create')
      const now = clock.now()
      const known = Object.entries(readCreating(found?.data)).filter(([other, since]) => {
        return since > now - CREATING_MS && !this.#open.has(other)
      })
      const creating = new Map(known)
      const admitted = new Set<string>()
      let hasNew = false
      for (const { id, perOwner } of batch) {
        if (!this.#open.has(id) && !creating.has(id)) {
          if (this.#open.count(owner) + creating.size >= perOwner) continue
          creating.set(id, now)
          hasNew = true
        }
        admitted.add(id)
      }
      if (!hasNew) return admitted
      const data = JSON.stringify(Object.fromEntries(creating))
      const write = { id: writeId, ttlMs: CREATING_MS * 2, data, expected: found?.seq ?? 0 }
      if ((await state.write(trip, subject, write)) !== undefined) return admitted
      await trip.pause(Math.random() * MAX_WAIT_MS)
    }
  }
}

function readCreating(data: string | undefined): Creating {
  return data === undefined || data === '' ? {} : (JSON.parse(data) as Creating)
}
