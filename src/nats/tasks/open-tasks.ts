// The tasks that have not ended, as this node knows them: the headers of what has changed are fetched when somebody asks. The truth is in
// the task's own message, which every claim compares.
import type { Trip } from '../connection/link.ts'
import type { Engine } from '../engine/engine.ts'
import { fetchHeaders, type HeaderPage, type StoredHeader } from '../engine/fetch-headers.ts'
import { readTaskHeader, type TaskHeader } from './stored-task.ts'

const AT_ONCE = 1_000
/** More changes than these are fetched at once. */
const FEW = 8

export class OpenTasks {
  readonly #engine: Engine
  readonly #tasks = new Map<string, TaskHeader>()
  readonly #byOwner = new Map<string, number>()
  #lastSeq = 0
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(engine: Engine) {
    this.#engine = engine
    engine.onLost(() => {
      this.#lastSeq = 0
      this.#tasks.clear()
      this.#byOwner.clear()
    })
  }

  get size(): number {
    return this.#tasks.size
  }

  count(owner: string): number {
    return this.#byOwner.get(owner) ?? 0
  }

  /** Those that somebody could begin now: the oldest first, and before them those whose worker was lost. */
  claimable(kinds: ReadonlySet<string>, now: number): TaskHeader[] {
    const found: TaskHeader[] = []
    for (const task of this.#tasks.values()) {
      if (kinds.has(task.kind) && task.from <= now && task.overdueAt > now && isFree(task, now)) found.push(task)
    }
    return found.sort((a, b) => Number(b.place === 'leased') - Number(a.place === 'leased') || a.order - b.order)
  }

  overdue(now: number): TaskHeader[] {
    return [...this.#tasks.values()].filter(({ overdueAt }) => overdueAt <= now)
  }

  /** It is not there any more. */
  remove(id: string): void {
    const known = this.#tasks.get(id)
    if (known === undefined) return
    this.#tasks.delete(id)
    this.#byOwner.set(known.owner, this.count(known.owner) - 1)
    if (this.count(known.owner) === 0) this.#byOwner.delete(known.owner)
  }

  /** Resolves once everything is known that was stored when this was called. */
  refresh(operation: string): Promise<void> {
    if (this.#running === undefined) return this.#run(operation)
    // What runs may have asked before: all who come meanwhile share the one after it.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#run(operation)
      })
    return this.#next
  }

  #run(operation: string): Promise<void> {
    this.#running = this.#engine
      .perform(operation, (trip) => this.#fetch(trip))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  /** A few changes are read one after the other, the first of which says as well that there are none. Many are fetched. */
  async #fetch(trip: Trip): Promise<void> {
    const { state, names, link } = this.#engine
    const filter = names.task('*')
    for (let count = 0; count < FEW; count += 1) {
      const changed = await state.next(trip, this.#lastSeq + 1, filter)
      if (changed === undefined) return
      this.#see(changed)
    }
    for (let from: number | undefined = this.#lastSeq + 1; from !== undefined; ) {
      const page: HeaderPage = await fetchHeaders(link, trip, state, filter, from, AT_ONCE)
      for (const changed of page.messages) this.#see(changed)
      from = page.next
    }
  }

  #see({ about, seq }: StoredHeader): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq)
    const header = readTaskHeader(about)
    if (header !== undefined) this.#set(header)
  }

  #set(task: TaskHeader): void {
    this.remove(task.id)
    if (task.place === 'ended' || task.place === 'gone') return
    this.#tasks.set(task.id, task)
    this.#byOwner.set(task.owner, this.count(task.owner) + 1)
  }
}

function isFree({ place, leaseEndsAt }: TaskHeader, now: number): boolean {
  return place === 'ready' || (place === 'leased' && leaseEndsAt <= now)
}
