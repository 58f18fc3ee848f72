// Tasks in the memory of one process: the default, and what the engines are tested against.
import { BackendError } from './backend-error.ts'
import { ByteBudget, bytesOf, bytesOfAll, FREE_OUTCOME_BYTES, limitReached, TASK_BYTES } from './byte-budget.ts'
import { isSameTask, MemoryTask } from './memory-task.ts'
import { MemoryTaskIndex, ReadyTasks } from './memory-task-index.ts'
import { checkCount } from './rules.ts'
import {
  type Claim,
  type CreateTaskOptions,
  type Journal,
  type NewTask,
  NOBODY,
  type Task,
  type TaskListener,
  type TaskOutcome,
  type TaskPage,
  type TaskStore,
  type TaskStoreLimits,
} from './task-store.ts'

/** How often everything is looked over for what is overdue or gone. */
const SWEEP_MS = 1_000

const NO_LIMITS: TaskStoreLimits = Object.freeze({})

export interface MemoryTaskStoreOptions {
  /** What all tasks may take, whatever limits an operation has (default: no limit). */
  maxBytes?: number
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
  readonly #tasks: MemoryTaskIndex
  readonly #ready = new ReadyTasks()
  readonly #listeners = new Set<TaskListener>()
  readonly #budget: ByteBudget
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor({
    now = Date.now,
    onListenerError = () => {},
    checkOpen = () => {},
    maxBytes = Infinity,
  }: MemoryTaskStoreOptions = {}) {
    this.#budget = new ByteBudget(maxBytes)
    this.#tasks = new MemoryTaskIndex(this.#budget)
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
    { claimFor, limits = NO_LIMITS }: CreateTaskOptions = {},
  ): Promise<Claim | undefined> {
    this.#checkOpen('tasks.create')
    const now = this.#now()
    this.#sweep(now)
    const known = this.#find(given.id)
    if (known !== undefined) return this.#createdBefore(known, given, claimFor !== undefined)
    const task = new MemoryTask(given, now)
    this.#checkOpenTasks(given.owner, limits)
    this.#budget.check('tasks.create', given.owner, task.bytes, limits)
    this.#tasks.add(task)
    if (claimFor !== undefined) return task.claim(claimFor.leaseMs, now)
    this.#offer(task)
    return undefined
  }

  async discard(claim: Claim): Promise<boolean> {
    this.#checkOpen('tasks.discard')
    const task = this.#heldBy(claim)
    if (task === undefined) return false
    this.#tasks.noLongerOpen(task)
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

  async list(owner: string, page: TaskPage): Promise<readonly Task[]> {
    this.#checkOpen('tasks.list')
    let next = this.#tasks.startOf(owner, page)
    const found: Task[] = []
    while (next !== undefined && found.length < page.limit) {
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
    return this.#tasks.countOpen(owner)
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
    const taken = this.#ready.take(max, (task) => wanted.has(task.given.kind) && task.isClaimable(now))
    return taken.map((task) => task.claim(leaseMs, now))
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

  async keepStep(claim: Claim, name: string, value: string, limits = NO_LIMITS): Promise<boolean> {
    this.#checkOpen('tasks.keepStep')
    const task = this.#heldBy(claim)
    if (task === undefined) return false
    // What is there already can be repeated, however full the store is.
    const bytes = task.hasStep(name) ? 0 : bytesOf(name) + bytesOf(value)
    this.#budget.check('tasks.keepStep', task.given.owner, bytes, limits)
    task.keepStep(name, value)
    this.#tasks.recount(task)
    return true
  }

  async journal(claim: Claim): Promise<Journal | undefined> {
    this.#checkOpen('tasks.journal')
    return this.#heldBy(claim)?.toClaim()
  }

  async ask(claim: Claim, questions: Readonly<Record<string, string>>, limits = NO_LIMITS): Promise<boolean> {
    this.#checkOpen('tasks.ask')
    const task = this.#heldBy(claim)
    if (task === undefined) return false
    this.#budget.check('tasks.ask', task.given.owner, bytesOfAll(task.freshOf(questions)), limits)
    if (task.ask(questions, this.#now())) this.#changed(task)
    this.#tasks.recount(task)
    return true
  }

  async answer(
    id: string,
    answers: Readonly<Record<string, string>>,
    limits = NO_LIMITS,
  ): Promise<'taken' | 'ended' | 'unknown'> {
    this.#checkOpen('tasks.answer')
    const task = this.#find(id)
    if (task === undefined) return 'unknown'
    if (task.hasEnded) return 'ended'
    const wasParked = task.place === 'parked'
    this.#budget.check('tasks.answer', task.given.owner, bytesOfAll(task.openOf(answers)), limits)
    if (task.answer(answers, this.#now())) {
      this.#tasks.recount(task)
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

  async finish(claim: Claim, outcome: TaskOutcome, limits = NO_LIMITS): Promise<'finished' | 'already' | 'lost'> {
    this.#checkOpen('tasks.finish')
    const task = this.#heldBy(claim)
    if (task === undefined) return this.#find(claim.id)?.hasEnded === true ? 'already' : 'lost'
    const bytes = bytesOf(outcome.text)
    // What the task needs no more makes room for its outcome.
    if (bytes > FREE_OUTCOME_BYTES) {
      this.#budget.check('tasks.finish', task.given.owner, TASK_BYTES + bytes - task.bytes, limits)
    }
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

  #checkOpenTasks(owner: string, limits: TaskStoreLimits): void {
    const { perOwner = Infinity, total = Infinity } = limits
    if (owner !== NOBODY && this.#tasks.countOpen(owner) >= perOwner) {
      throw limitReached('tasks.create', 'perOwner', limits)
    }
    if (this.#tasks.countOpen(undefined) >= total) throw limitReached('tasks.create', 'total', limits)
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
    for (const task of this.#tasks.values()) {
      if (this.#settle(task, now) && task.isLost(now)) this.#ready.addLost(task)
    }
  }

  #forget(task: MemoryTask): void {
    if (this.#tasks.remove(task)) this.#ready.delete(task)
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

  #ended(task: MemoryTask): void {
    this.#ready.delete(task)
    this.#tasks.recount(task)
    this.#tasks.noLongerOpen(task)
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
