// One change of one task: read, changed by the rules that all stores share, and written where nobody else has written meanwhile.
import { BackendError } from '../../backend/backend-error.ts'
import type { MemoryTask } from '../../backend/memory-task.ts'
import { checkName } from '../../backend/rules.ts'
import type { Claim } from '../../backend/task-store.ts'
import type { Trip } from '../connection/trip.ts'
import type { Moment } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import { goneWriteOf, readTask, writeOf } from './stored-task.ts'

export interface Changed<T> {
  readonly result: T
  /** The task is to be written (default: it is as it was), or taken back. */
  readonly save?: boolean | 'gone'
  /** Others hear that the task has changed, or that there may be work. */
  readonly news?: 'changed' | 'work' | 'both'
}

/**
 * What somebody is given (a lease, a time to stop) counts from the latest that it may be, and what is over is judged by the earliest: nobody
 * loses a task before its time because another node knows the clock of the engine less well.
 */
export type ChangeTask<T> = (task: MemoryTask, at: Moment) => Changed<T>

/** After so many tries in vain there is a wait before the next. */
const QUICK_TRIES = 3
const MAX_WAIT_MS = 20

export class TaskChanges {
  readonly #engine: Engine
  readonly #nextTurn: (owner: string) => number

  constructor(engine: Engine, nextTurn: (owner: string) => number) {
    this.#engine = engine
    this.#nextTurn = nextTurn
  }

  /** By whoever comes with the claim. It is not lost, however late that is, unless somebody else has claimed or ended the task. */
  held<T>(
    operation: string,
    { id, attempt }: Claim,
    lost: (task: MemoryTask | undefined) => T,
    change: ChangeTask<T>,
    prepare?: (trip: Trip) => Promise<void>,
  ): Promise<T> {
    const held: ChangeTask<T> = (task, at) => {
      if (task.place !== 'leased' || task.attempt !== attempt) return { result: lost(task) }
      if (!task.settleCancelled(at.earliest)) return change(task, at)
      return { result: lost(task), save: true, news: 'changed' }
    }
    return this.#run(operation, id, () => lost(undefined), held, prepare)
  }

  /** By anybody. What is overdue is ended first, and what is gone is not found. */
  found<T>(
    operation: string,
    id: string,
    missing: T,
    change: ChangeTask<T>,
    prepare?: (trip: Trip) => Promise<void>,
  ): Promise<T> {
    const found: ChangeTask<T> = (task, at) => {
      const wasSettled = task.settleOverdue(at.earliest)
      if (task.isGone(at.earliest)) return { result: missing }
      const changed = change(task, at)
      return wasSettled ? { save: true, news: 'changed', ...changed } : changed
    }
    return this.#run(operation, id, () => missing, found, prepare)
  }

  hint(id: string, news: Changed<unknown>['news']): void {
    const { subjects, names } = this.#engine
    if (news === 'changed' || news === 'both') subjects.hint(names.taskHints, `c${id}`)
    if (news === 'work' || news === 'both') subjects.hint(names.taskHints, 'w')
  }

  at(): Moment {
    return this.#engine.clock.moment()
  }

  async #run<T>(
    operation: string,
    id: string,
    missing: () => T,
    change: ChangeTask<T>,
    prepare?: (trip: Trip) => Promise<void>,
  ): Promise<T> {
    // What no task can have as its id is looked for nowhere.
    if (!isId(id)) return missing()
    const { state, names } = this.#engine
    const writeId = this.#engine.newId()
    let done: Changed<T> | undefined
    // One turn for all tries: a task does not stand behind those that were in vain.
    let ownTurn: number | undefined
    const changed = await this.#engine.perform(operation, async (trip): Promise<Changed<T>> => {
      await prepare?.(trip)
      for (let tries = 1; ; tries += 1) {
        const found = readTask(await state.last(trip, names.task(id)))
        // Written before the connection broke.
        if (done !== undefined && (found?.writeId === writeId || (found === undefined && done.save === 'gone')))
          return done
        if (found === undefined) return { result: missing() }
        const at = this.at()
        const wasReady = found.task.place === 'ready'
        done = change(found.task, at)
        if (done.save === undefined || done.save === false) return done
        const isReadyAgain = !wasReady && found.task.place === 'ready'
        if (isReadyAgain) ownTurn ??= this.#nextTurn(found.task.given.owner)
        const order = { order: found.order, turn: isReadyAgain ? (ownTurn ?? found.turn) : found.turn }
        const write = done.save === 'gone' ? goneWriteOf(found.task, order) : writeOf(found.task, order, at.earliest)
        state.checkSize(operation, Buffer.byteLength(write.data))
        const expected = { id: writeId, expected: found.seq }
        if ((await state.write(trip, names.task(id), { ...write, ...expected })) !== undefined) return done
        done = undefined
        if (tries >= QUICK_TRIES) await trip.pause(Math.random() * MAX_WAIT_MS)
      }
    })
    this.hint(id, changed.news)
    return changed.result
  }
}

export function isId(id: unknown): id is string {
  try {
    checkName('tasks', id as string)
    return true
  } catch (error) {
    if (error instanceof BackendError) return false
    throw error
  }
}
