// The tasks that have not ended, and what all of them take, as this node knows them: the headers of what has changed are fetched when somebody asks. The truth is in
// the task's own message, which every claim compares.
import type { Trip } from '../connection/trip.ts'
import type { Engine } from '../engine/engine.ts'
import { fetchHeaders, type HeaderPage, type StoredHeader } from '../engine/fetch-headers.ts'
import { readTaskHeader, type TaskHeader } from './stored-task.ts'

const AT_ONCE = 1_000
/** More changes than these are fetched at once: that takes three trips, and each of a few takes one. */
const FEW = 2
/** With so many, those that are over are forgotten. */
const MAX_GIVEN = 1_000
/** So long it is remembered that a task was taken back. */
const TAKEN_BACK_MS = 60_000

export class OpenTasks {
  readonly #engine: Engine
  readonly #tasks = new Map<string, TaskHeader>()
  readonly #byOwner = new Map<string, number>()
  /** Those that have ended, or were taken back, until they are gone. */
  readonly #ended = new Map<string, TaskHeader>()
  readonly #bytesByOwner = new Map<string, number>()
  #bytes = 0
  /** The last turn that each owner got from here, also of tasks that are on their way. */
  readonly #given = new Map<string, number>()
  /** The last turn that was claimed, as far as is known here. */
  #turn = 0
  #lastSeq = 0
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(engine: Engine) {
    this.#engine = engine
    engine.onLost(() => {
      this.#lastSeq = 0
      this.#tasks.clear()
      this.#byOwner.clear()
      this.#ended.clear()
      this.#bytesByOwner.clear()
      this.#bytes = 0
      this.#turn = 0
      this.#given.clear()
    })
  }

  get size(): number {
    return this.#tasks.size
  }

  count(owner: string): number {
    return this.#byOwner.get(owner) ?? 0
  }

  /** Whether the task was stored, as far as is known here. */
  has(id: string): boolean {
    return this.#tasks.has(id) || this.#ended.has(id)
  }

  /** What the tasks of an owner, or of all, take: those that have ended too, until they are gone. */
  bytes(owner: string | undefined, now: number): number {
    for (const [id, { goneAt }] of this.#ended) if (goneAt <= now) this.#forget(this.#ended, id)
    return owner === undefined ? this.#bytes : (this.#bytesByOwner.get(owner) ?? 0)
  }

  /** Those that somebody could begin now: first those whose worker was lost, then by their turns. */
  claimable(kinds: ReadonlySet<string>, now: number): TaskHeader[] {
    const found: TaskHeader[] = []
    for (const task of this.#tasks.values()) {
      if (kinds.has(task.kind) && task.from <= now && task.overdueAt > now && isFree(task, now)) found.push(task)
    }
    const turnOf = ({ place, turn }: TaskHeader) => (place === 'leased' ? -1 : turn)
    return found.sort((a, b) => turnOf(a) - turnOf(b) || a.order - b.order)
  }

  /**
   * The turn of a task that becomes ready, by fair queueing: the one that is claimed now, or the one after the last of its owner. So the
   * tasks of one owner stand one turn apart, and those of another do not wait behind all of them.
   */
  nextTurn(owner: string): number {
    let turn = Math.max(this.#turn, (this.#given.get(owner) ?? -1) + 1)
    for (const task of this.#tasks.values()) {
      if (task.owner === owner && task.place === 'ready') turn = Math.max(turn, task.turn + 1)
    }
    this.#given.set(owner, turn)
    if (this.#given.size > MAX_GIVEN)
      for (const [one, last] of this.#given) if (last <= this.#turn) this.#given.delete(one)
    return turn
  }

  /** What was stored from here need not be fetched to be known. */
  note(about: string): void {
    const header = readTaskHeader(about)
    if (header !== undefined) this.#set(header)
  }

  overdue(now: number): TaskHeader[] {
    return [...this.#tasks.values()].filter(({ overdueAt }) => overdueAt <= now)
  }

  /** It is not there any more. */
  remove(id: string): void {
    const known = this.#tasks.get(id)
    if (known !== undefined) {
      this.#byOwner.set(known.owner, this.count(known.owner) - 1)
      if (this.count(known.owner) === 0) this.#byOwner.delete(known.owner)
    }
    this.#forget(this.#tasks, id)
    this.#forget(this.#ended, id)
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
    this.note(about)
  }

  #set(task: TaskHeader): void {
    this.remove(task.id)
    this.#weigh(task.owner, task.bytes)
    // One that somebody runs, or has run.
    if (task.place !== 'ready' && task.leaseEndsAt > 0) this.#turn = Math.max(this.#turn, task.turn)
    if (task.place === 'gone') this.#ended.set(task.id, { ...task, goneAt: this.#engine.clock.now() + TAKEN_BACK_MS })
    else if (task.place === 'ended') this.#ended.set(task.id, task)
    else {
      this.#tasks.set(task.id, task)
      this.#byOwner.set(task.owner, this.count(task.owner) + 1)
    }
  }

  #forget(tasks: Map<string, TaskHeader>, id: string): void {
    const known = tasks.get(id)
    if (known === undefined) return
    tasks.delete(id)
    this.#weigh(known.owner, -known.bytes)
  }

  #weigh(owner: string, bytes: number): void {
    this.#bytes += bytes
    const own = (this.#bytesByOwner.get(owner) ?? 0) + bytes
    if (own <= 0) this.#bytesByOwner.delete(owner)
    else this.#bytesByOwner.set(owner, own)
  }
}

function isFree({ place, leaseEndsAt }: TaskHeader, now: number): boolean {
  return place === 'ready' || (place === 'leased' && leaseEndsAt <= now)
}
