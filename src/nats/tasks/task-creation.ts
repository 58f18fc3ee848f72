// How a task comes to be: what is large and the entry for lists first, then its own message, where nobody has one under its id.
import { BackendError } from '../../backend/backend-error.ts'
import { isSameTask, MemoryTask } from '../../backend/memory-task.ts'
import { MAX_TTL_MS } from '../../backend/rules.ts'
import type { Claim, CreateTaskOptions, Journal, NewTask, TaskStoreLimits } from '../../backend/task-store.ts'
import type { Engine } from '../engine/engine.ts'
import type { OpenTasks } from './open-tasks.ts'
import { readTask, weightOf, writeOf } from './stored-task.ts'
import type { TaskAdmission } from './task-admission.ts'
import type { TaskChanges } from './task-changes.ts'
import type { TaskClaims } from './task-claims.ts'
import type { TaskLists } from './task-lists.ts'
import type { TaskTexts } from './task-texts.ts'

interface Parts {
  readonly changes: TaskChanges
  readonly texts: TaskTexts
  readonly lists: TaskLists
  readonly open: OpenTasks
  readonly admission: TaskAdmission
  readonly claims: TaskClaims
}

export class TaskCreation {
  readonly #engine: Engine
  readonly #parts: Parts
  #lastOrder = 0

  constructor(engine: Engine, parts: Parts) {
    this.#engine = engine
    this.#parts = parts
  }

  /** The arguments have been checked. */
  async create(
    given: NewTask & Partial<Journal>,
    claimFor: CreateTaskOptions['claimFor'],
    limits: TaskStoreLimits,
  ): Promise<Claim | undefined> {
    const { id, input, steps = {}, answers = {} } = given
    const packed = { ...given, input: this.#parts.texts.pack(input) }
    const journal = { steps: this.#parts.texts.packAll(steps), answers: this.#parts.texts.packAll(answers) }
    const bytes = weightOf(new MemoryTask({ ...packed, ...journal }, 0))
    await this.#parts.admission.admit(given, bytes, limits, () => this.#parts.claims.settleOverdue('tasks.create'))
    const writeId = this.#engine.newId()
    const { state, names } = this.#engine
    // One turn, however often the connection breaks: a task does not stand behind tries of its own.
    let turn: number | undefined
    const outcome = await this.#engine.perform('tasks.create', async (trip) => {
      const order = this.#nextOrder()
      const now = Math.floor(order)
      const { earliest, latest } = this.#parts.changes.at()
      const texts = [input, ...Object.values(steps), ...Object.values(answers)]
      // Before the task itself: whoever finds it must find these.
      await Promise.all([
        this.#parts.lists.add(trip, packed, order),
        this.#parts.texts.store(trip, id, texts, MAX_TTL_MS),
      ])
      const task = new MemoryTask({ ...packed, ...journal }, now)
      const isClaimed = claimFor !== undefined
      if (isClaimed) task.claim(claimFor.leaseMs, latest)
      turn ??= isClaimed ? 0 : this.#parts.open.nextTurn(given.owner)
      const write = { ...writeOf(task, { order, turn }, earliest), id: writeId }
      state.checkSize('tasks.create', Buffer.byteLength(write.data))
      for (let expected = 0; ; ) {
        if ((await state.write(trip, names.task(id), { ...write, expected })) !== undefined) {
          this.#parts.open.note(write.about)
          return 'made'
        }
        const stored = await state.last(trip, names.task(id))
        const found = readTask(stored)
        if (found?.writeId === writeId) return 'made'
        if (found === undefined || found.task.isGone(earliest)) {
          expected = stored?.seq ?? 0
          continue
        }
        if (!isSameTask(found.task, packed)) return 'other'
        if (!isClaimed || found.task.place !== 'leased' || found.task.attempt !== 1) return 'same'
        return this.#parts.claims.unpack(trip, found.task.toClaim())
      }
    })
    if (outcome === 'other') {
      throw new BackendError('Another task has this id already.', { kind: 'refused', operation: 'tasks.create' })
    }
    if (claimFor === undefined) {
      if (outcome === 'made') this.#parts.changes.hint(id, 'work')
      return undefined
    }
    if (outcome === 'same') return undefined
    if (outcome !== 'made') return outcome
    return { id, kind: given.kind, input, attempt: 1, steps: { ...steps }, answers: { ...answers } }
  }

  /** By the clock of the engine, and never twice the same: what one node creates stays in its order. */
  #nextOrder(): number {
    this.#lastOrder = Math.max(this.#lastOrder + 0.001, this.#engine.clock.now())
    return this.#lastOrder
  }
}
