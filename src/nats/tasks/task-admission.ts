// The limits of tasks. What is stored is counted by each node; a message for each owner has what is being created at this moment, changed
// by compare-and-set, so that nodes that create at once do not pass the owner's limit together. The limits of bytes and of all tasks may
// be passed by what is stored at the same moment.
import { limitReached } from '../../backend/byte-budget.ts'
import { NOBODY, type TaskStoreLimits } from '../../backend/task-store.ts'
import type { Trip } from '../connection/link.ts'
import type { Engine } from '../engine/engine.ts'
import type { OpenTasks } from './open-tasks.ts'

/** A task that was to be created so long ago is there by now, or never will be. */
const CREATING_MS = 10_000
const MAX_WAIT_MS = 10

/** When each was to be created, by its id. */
type Creating = Readonly<Record<string, number>>

export class TaskAdmission {
  readonly #engine: Engine
  readonly #open: OpenTasks
  /** Creates of one owner follow each other here: they would only be in each other's way. */
  readonly #lines = new Map<string, Promise<unknown>>()

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
    const work = () => this.#admit(id, owner, bytes, limits)
    // Only a message of the owner needs a line: tasks of nobody are counted alone, and share one look at what is stored.
    const attempt = hasOwnLimit(owner, limits) ? () => this.#inLine(owner, work) : work
    try {
      await attempt()
    } catch {
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

  async #inLine(owner: string, work: () => Promise<void>): Promise<void> {
    const before = this.#lines.get(owner) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#lines.set(owner, turn)
    try {
      await turn
    } finally {
      if (this.#lines.get(owner) === turn) this.#lines.delete(owner)
    }
  }

  async #admit(id: string, owner: string, bytes: number, limits: TaskStoreLimits): Promise<void> {
    const { perOwner, total = Infinity } = limits
    if (!hasOwnLimit(owner, limits) || perOwner === undefined) await this.#open.refresh('tasks.create')
    else {
      const isAdmitted = await this.#engine.perform('tasks.create', (trip) => this.#announce(trip, id, owner, perOwner))
      if (!isAdmitted) throw limitReached('tasks.create', 'perOwner', limits)
    }
    if (this.#open.has(id)) return
    if (this.#open.size >= total) throw limitReached('tasks.create', 'total', limits)
    this.checkBytes('tasks.create', owner, bytes, limits)
  }

  /** False: there are as many as the owner may have, with those that are being created. */
  async #announce(trip: Trip, id: string, owner: string, perOwner: number): Promise<boolean> {
    const { state, names, clock } = this.#engine
    const subject = names.creating(owner)
    const writeId = this.#engine.newId()
    for (;;) {
      const found = await state.last(trip, subject)
      // After the message was read: what it has no more is found among those that are stored.
      await this.#open.refresh('tasks.create')
      const now = clock.now()
      const creating = Object.entries(readCreating(found?.data)).filter(([other, since]) => {
        return since > now - CREATING_MS && !this.#open.has(other)
      })
      const isThere = this.#open.has(id) || creating.some(([other]) => other === id)
      if (isThere) return true
      if (this.#open.count(owner) + creating.length >= perOwner) return false
      const data = JSON.stringify({ ...Object.fromEntries(creating), [id]: now })
      const write = { id: writeId, ttlMs: CREATING_MS * 2, data, expected: found?.seq ?? 0 }
      if ((await state.write(trip, subject, write)) !== undefined) return true
      await trip.pause(Math.random() * MAX_WAIT_MS)
    }
  }
}

function hasOwnLimit(owner: string, { perOwner }: TaskStoreLimits): boolean {
  return owner !== NOBODY && perOwner !== undefined
}

function readCreating(data: string | undefined): Creating {
  return data === undefined || data === '' ? {} : (JSON.parse(data) as Creating)
}
