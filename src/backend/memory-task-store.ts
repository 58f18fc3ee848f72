// Tasks in the memory of one process: the default, and what the engines are tested against.
import { LinkedQueue, type QueuePlace } from '../primitives/async/linked-queue.ts'
import { BackendError } from './backend-error.ts'
import { ByteBudget, type ByteLimits, bytesOf, bytesOfAll, TASK_BYTES } from './byte-budget.ts'
import { isSameTask, MemoryTask } from './memory-task.ts'
import { checkCount } from './rules.ts'
import type { Claim, Journal, NewTask, Task, TaskListener, TaskOutcome, TaskPage, TaskStore } from './task-store.ts'

/** How often everything is looked over for what is overdue or gone. */
const SWEEP_MS = 1_000

/** An outcome of so many bytes is always taken: a task must be able to end. */
const FREE_OUTCOME_BYTES = 1_024

export interface MemoryTaskStoreOptions extends ByteLimits {
  /** The clock, in milliseconds (default: that of the system). */
  now?: () => number
  /** Told of errors that a listener threw. */
  onListenerError?: (error: unknown) => void
  /** Throws where the backend of the store is closed (default: it is always open). */
  checkOpen?: (operation: string) => void
}

export class MemoryTaskStore implements TaskStore {
  readonly #now: () => number
  readonly #onListenerError: (error: unknown) => void
  readonly #checkOpen: (operation: string) => void
  readonly #tasks = new Map<string, MemoryTask>()
  /** The tasks of each owner in one dialect, oldest first: any can leave, and a page can begin at any, in one step. */
  readonly #lines = new Map<string, LinkedQueue<MemoryTask>>()
  readonly #openByOwner = new Map<string, number>()
  readonly #ready = new Set<MemoryTask>()
  readonly #listeners = new Set<TaskListener>()
  readonly #budget: ByteBudget
  #open = 0
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor({
    now = Date.now,
    onListenerError = () => {},
    checkOpen = () => {},
    ...limits
  }: MemoryTaskStoreOptions = {}) {
    this.#budget = new ByteBudget(limits)
    this.#now = now
    this.#onListenerError = onListenerError
    this.#checkOpen = checkOpen
  }

  /** Nobody hears of changes any more. */
  close(): void {
    this.#listeners.clear()
  }

  async create(
    given: NewTask & Partial<Journal>,
    { claimFor }: { claimFor?: { worker: string; leaseMs: number } } = {},
  ): Promise<Claim | undefined> {
    this.#checkOpen('tasks.create')
    const now = this.#now()
    this.#sweep(now)
    const known = this.#find(given.id)
    if (known !== undefined) return this.#createdBefore(known, given, claimFor !== undefined)
    const task = new MemoryTask(given, now)
    this.#budget.check(given.owner, task.bytes, 'tasks.create')
    this.#add(task)
    if (claimFor !== undefined) return task.claim(claimFor.leaseMs, now)
    this.#offer(task)
    return undefined
  }

  async discard(claim: Claim): Promise<boolean> {
    this.#checkOpen('tasks.discard')
    const task = this.#heldBy(claim)
    if (task === undefined) return false
    this.#count(task, -1)
    this.#forget(task)
    this.#changed(task)
    return true
  }

  async get(id: string): Promise<Task | undefined> {
    this.#checkOpen('tasks.get')
    return this.getNow(id)
  }

  /** As `get`, without a promise: polls are the most frequent requests of all. */
  getNow(id: string): Task | undefined {
    return this.#find(id)?.toTask()
  }

  async list(owner: string, { dialect, limit, after, createdFrom }: TaskPage): Promise<readonly Task[]> {
    this.#checkOpen('tasks.list')
    const line = this.#lines.get(lineKey(owner, dialect))
    const known = after === undefined ? undefined : this.#tasks.get(after)
    const isBookmarked = known !== undefined && this.#lines.get(lineKeyOf(known)) === line
    let next = after === undefined ? firstFrom(line, createdFrom) : isBookmarked ? known?.linePlace?.behind : undefined
    const found: Task[] = []
    while (next !== undefined && found.length < limit) {
      const task = next.value
      // Before it is looked at, since one that is gone leaves its line.
      next = next.behind
      if (this.#settle(task, this.#now())) found.push(task.toTask())
    }
    return found
  }

  async countOpen(owner?: string): Promise<number> {
    this.#checkOpen('tasks.countOpen')
    this.#sweep(this.#now())
    return owner === undefined ? this.#open : (this.#openByOwner.get(owner) ?? 0)
  }

  async claim(
    _worker: string,
    { kinds, max, leaseMs }: { kinds: readonly string[]; max: number; leaseMs: number },
  ): Promise<readonly Claim[]> {
    this.#checkOpen('tasks.claim')
    checkCount('tasks.claim', 'max', max, 0)
    const now = this.#now()
    this.#sweep(now)
    const wanted = new Set(kinds)
    const claims: Claim[] = []
    for (const task of this.#ready) {
      if (claims.length >= max) break
      if (!wanted.has(task.given.kind) || !task.isClaimable(now)) continue
      this.#ready.delete(task)
      claims.push(task.claim(leaseMs, now))
    }
    return claims
  }

  async renew(claim: Claim, leaseMs: number, statusMessage?: string): Promise<'held' | 'cancelling' | 'lost'> {
    this.#checkOpen('tasks.renew')
    const task = this.#heldBy(claim)
    if (task === undefined) return 'lost'
    this.#ready.delete(task)
    if (task.renew(leaseMs, this.#now(), statusMessage)) this.#changed(task)
    return task.cancelledAt === Number.POSITIVE_INFINITY ? 'held' : 'cancelling'
  }

  async extend(claim: Claim, change: { ttlMs?: number | null; pollIntervalMs?: number }): Promise<boolean> {
    this.#checkOpen('tasks.extend')
    const task = this.#heldBy(claim)
    task?.extend(change, this.#now())
    if (task !== undefined) this.#changed(task)
    return task !== undefined
  }

  async keepStep(claim: Claim, name: string, value: string): Promise<boolean> {
    this.#checkOpen('tasks.keepStep')
    const task = this.#heldBy(claim)
    if (task === undefined) return false
    this.#budget.check(task.given.owner, bytesOf(name) + bytesOf(value), 'tasks.keepStep')
    task.keepStep(name, value)
    this.#recount(task)
    return true
  }

  async journal(claim: Claim): Promise<Journal | undefined> {
    this.#checkOpen('tasks.journal')
    return this.#heldBy(claim)?.toClaim()
  }

  async ask(claim: Claim, questions: Readonly<Record<string, string>>): Promise<boolean> {
    this.#checkOpen('tasks.ask')
    const task = this.#heldBy(claim)
    if (task === undefined) return false
    this.#budget.check(task.given.owner, bytesOfAll(questions), 'tasks.ask')
    if (task.ask(questions, this.#now())) this.#changed(task)
    this.#recount(task)
    return true
  }

  async answer(id: string, answers: Readonly<Record<string, string>>): Promise<'taken' | 'ended' | 'unknown'> {
    this.#checkOpen('tasks.answer')
    const task = this.#find(id)
    if (task === undefined) return 'unknown'
    if (task.hasEnded) return 'ended'
    const wasParked = task.place === 'parked'
    this.#budget.check(task.given.owner, bytesOfAll(answers), 'tasks.answer')
    if (task.answer(answers, this.#now())) {
      this.#recount(task)
      this.#changed(task)
      if (wasParked) this.#offer(task)
    }
    return 'taken'
  }

  async park(claim: Claim): Promise<boolean> {
    this.#checkOpen('tasks.park')
    const task = this.#heldBy(claim)
    if (task === undefined) return false
    if (this.#cancelIfAsked(task)) return true
    this.#ready.delete(task)
    if (task.park()) this.#offer(task)
    return true
  }

  async release(claim: Claim): Promise<boolean> {
    this.#checkOpen('tasks.release')
    const task = this.#heldBy(claim)
    if (task === undefined) return false
    if (this.#cancelIfAsked(task)) return true
    task.release()
    this.#offer(task)
    return true
  }

  async finish(claim: Claim, outcome: TaskOutcome): Promise<'finished' | 'already' | 'lost'> {
    this.#checkOpen('tasks.finish')
    const task = this.#heldBy(claim)
    if (task === undefined) return this.#find(claim.id)?.hasEnded === true ? 'already' : 'lost'
    const bytes = bytesOf(outcome.text)
    // What the task needs no more makes room for its outcome.
    if (bytes > FREE_OUTCOME_BYTES)
      this.#budget.check(task.given.owner, TASK_BYTES + bytes - task.bytes, 'tasks.finish')
    task.finish(outcome, this.#now())
    this.#ended(task)
    return 'finished'
  }

  async cancel(id: string, graceMs: number): Promise<'cancelled' | 'cancelling' | 'ended' | 'unknown'> {
    this.#checkOpen('tasks.cancel')
    const now = this.#now()
    const task = this.#find(id)
    if (task === undefined) return 'unknown'
    if (task.hasEnded) return 'ended'
    if (task.place === 'leased' && !task.isLost(now)) {
      task.askToCancel(now + graceMs)
      this.#changed(task)
      return 'cancelling'
    }
    task.end('cancelled', now)
    this.#ended(task)
    return 'cancelled'
  }

  /** Ends what nobody runs, for a process that ends: such a task waits for an answer or for a worker. */
  failWaiting(statusMessage: string): void {
    const now = this.#now()
    for (const task of [...this.#tasks.values()]) {
      if (task.place !== 'ready' && task.place !== 'parked') continue
      task.end('failed', now, statusMessage)
      this.#ended(task)
    }
  }

  watch(listener: TaskListener): () => void {
    this.#checkOpen('tasks.watch')
    // Wrapped, so that a listener that is given twice is called twice and removed one by one.
    const own: TaskListener = {
      changed: (id) => listener.changed(id),
      work: () => listener.work(),
      missed: () => listener.missed(),
    }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  #createdBefore(known: MemoryTask, given: NewTask, wantsClaim: boolean): Claim | undefined {
    if (!isSameTask(known, given)) {
      throw new BackendError('Another task has this id already.', { kind: 'refused', operation: 'tasks.create' })
    }
    return wantsClaim && known.place === 'leased' && known.attempt === 1 ? known.toClaim() : undefined
  }

  /** The one look-up: what is overdue is ended, and what is gone is not found, whoever asks. */
  #find(id: string): MemoryTask | undefined {
    const task = this.#tasks.get(id)
    return task !== undefined && this.#settle(task, this.#now()) ? task : undefined
  }

  /** Whoever comes with the claim has not lost it, however late it is, unless somebody else has claimed or ended the task. */
  #heldBy(claim: Claim): MemoryTask | undefined {
    const task = this.#tasks.get(claim.id)
    if (task?.isHeldBy(claim) !== true) return undefined
    if (task.settleCancelled(this.#now())) {
      this.#ended(task)
      return undefined
    }
    return task
  }

  /** False: the task is gone. */
  #settle(task: MemoryTask, now: number): boolean {
    if (task.settleOverdue(now)) this.#ended(task)
    if (!task.isGone(now)) return true
    this.#forget(task)
    return false
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = now
    const lost: MemoryTask[] = []
    for (const task of this.#tasks.values()) {
      if (this.#settle(task, now) && task.isLost(now) && !this.#ready.has(task)) lost.push(task)
    }
    if (lost.length === 0) return
    // Those whose worker was lost come before new ones.
    const waiting = [...this.#ready]
    this.#ready.clear()
    for (const task of [...lost, ...waiting]) this.#ready.add(task)
  }

  #add(task: MemoryTask): void {
    this.#tasks.set(task.given.id, task)
    const key = lineKeyOf(task)
    const line = this.#lines.get(key) ?? new LinkedQueue<MemoryTask>()
    this.#lines.set(key, line)
    task.linePlace = line.push(task)
    this.#recount(task)
    this.#count(task, 1)
  }

  #count({ given: { owner } }: MemoryTask, change: 1 | -1): void {
    this.#open += change
    const open = (this.#openByOwner.get(owner) ?? 0) + change
    if (open === 0) this.#openByOwner.delete(owner)
    else this.#openByOwner.set(owner, open)
  }

  #forget(task: MemoryTask): void {
    if (!this.#tasks.delete(task.given.id)) return
    this.#ready.delete(task)
    this.#budget.change(task.given.owner, -task.countedBytes)
    const key = lineKeyOf(task)
    task.linePlace?.leave()
    task.linePlace = undefined
    if (this.#lines.get(key)?.size === 0) this.#lines.delete(key)
  }

  #cancelIfAsked(task: MemoryTask): boolean {
    if (task.cancelledAt === Number.POSITIVE_INFINITY) return false
    task.end('cancelled', this.#now())
    this.#ended(task)
    return true
  }

  #offer(task: MemoryTask): void {
    this.#ready.add(task)
    this.#tell((listener) => listener.work())
  }

  #recount(task: MemoryTask): void {
    this.#budget.change(task.given.owner, task.bytes - task.countedBytes)
    task.countedBytes = task.bytes
  }

  #ended(task: MemoryTask): void {
    this.#ready.delete(task)
    this.#recount(task)
    this.#count(task, -1)
    this.#changed(task)
  }

  #changed(task: MemoryTask): void {
    this.#tell((listener) => listener.changed(task.given.id))
  }

  #tell(hint: (listener: TaskListener) => void): void {
    for (const listener of [...this.#listeners]) {
      try {
        hint(listener)
      } catch (error) {
        this.#onListenerError(error)
      }
    }
  }
}

/** The oldest one, or the oldest that was not created before a time. */
function firstFrom(
  line: LinkedQueue<MemoryTask> | undefined,
  createdFrom: number | undefined,
): QueuePlace<MemoryTask> | undefined {
  let place = line?.first
  if (createdFrom !== undefined) {
    while (place !== undefined && place.value.createdAt < createdFrom) place = place.behind
  }
  return place
}

/** Owners are digests, so that no dialect can look like the end of one. */
function lineKey(owner: string, dialect: string): string {
  return `${owner} ${dialect}`
}

function lineKeyOf({ given: { owner, dialect } }: MemoryTask): string {
  return lineKey(owner, dialect)
}
