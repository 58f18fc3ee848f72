// The tasks of one owner in one dialect, oldest first: an entry each, which is never written again, so that the order of the stream is
// that of their creation.
import { MAX_TTL_MS } from '../../backend/rules.ts'
import type { NewTask, Task, TaskPage } from '../../backend/task-store.ts'
import type { Trip } from '../connection/trip.ts'
import type { Engine } from '../engine/engine.ts'
import { fetchHeaders } from '../engine/fetch-headers.ts'
import { isId } from './task-changes.ts'

interface ListedTask {
  readonly id: string
  /** When it was created, about. */
  readonly order: number
}

/** So many are looked at in one step. */
const AT_ONCE = 256
const TASKS_AT_ONCE = 16

export class TaskLists {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async add(trip: Trip, { id, owner, dialect }: NewTask, order: number): Promise<void> {
    const { state, names } = this.#engine
    const about = JSON.stringify([id, order])
    const write = { id: this.#engine.newId(), ttlMs: MAX_TTL_MS, data: '', about, expected: 0 }
    // One that is there stays: it has the place of the task.
    await state.write(trip, names.listed(owner, dialect, id), write)
  }

  remove(trip: Trip, owner: string, dialect: string, id: string): Promise<void> {
    return this.#engine.state.purge(trip, this.#engine.names.listed(owner, dialect, id))
  }

  async read(
    owner: string,
    { dialect, limit, after, createdFrom = 0 }: TaskPage,
    get: (id: string) => Promise<Task | undefined>,
  ): Promise<Task[]> {
    let from = 1
    if (after !== undefined) {
      if (!isId(after)) return []
      const [task, entry] = await Promise.all([
        get(after),
        this.#engine.perform('tasks.list', (trip) => {
          return this.#engine.state.last(trip, this.#engine.names.listed(owner, dialect, after))
        }),
      ])
      if (task === undefined || entry === undefined) return []
      from = entry.seq + 1
    }
    const tasks: Task[] = []
    for (let next: number | undefined = from; next !== undefined && tasks.length < limit; ) {
      const page = await this.#page(owner, dialect, next)
      next = page.next
      const wanted = page.listed.filter(({ order }) => order >= createdFrom)
      for (let at = 0; at < wanted.length && tasks.length < limit; at += TASKS_AT_ONCE) {
        const some = await Promise.all(wanted.slice(at, at + TASKS_AT_ONCE).map(({ id }) => get(id)))
        for (const task of some) if (task?.owner === owner && task.dialect === dialect) tasks.push(task)
      }
    }
    return tasks.slice(0, limit)
  }

  async #page(
    owner: string,
    dialect: string,
    from: number,
  ): Promise<{ readonly listed: ListedTask[]; readonly next: number | undefined }> {
    const { state, names, link } = this.#engine
    return this.#engine.perform('tasks.list', async (trip) => {
      const filter = names.listed(owner, dialect, '*')
      const { messages, next } = await fetchHeaders(link, trip, state, filter, from, AT_ONCE)
      const listed = messages.map(({ about }) => {
        const [id, order] = JSON.parse(about) as [string, number]
        return { id, order }
      })
      return { listed, next }
    })
  }
}
