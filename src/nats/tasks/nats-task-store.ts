import { FREE_OUTCOME_BYTES, TASK_BYTES } from '../../backend/byte-budget.ts'
import type { MemoryTask } from '../../backend/memory-task.ts'
import { checkCount, checkName, checkTtl, checkValue, MAX_TTL_MS } from '../../backend/rules.ts'
import type {
  Claim,
  CreateTaskOptions,
  Journal,
  NewTask,
  Task,
  TaskListener,
  TaskOutcome,
  TaskPage,
  TaskStore,
  TaskStoreLimits,
} from '../../backend/task-store.ts'
import type { Trip } from '../connection/trip.ts'
import type { Engine } from '../engine/engine.ts'
import { OpenTasks } from './open-tasks.ts'
import { readTask, readTaskHeader, weightOf } from './stored-task.ts'
import { TaskAdmission } from './task-admission.ts'
import { isId, TaskChanges } from './task-changes.ts'
import { TaskClaims } from './task-claims.ts'
import { TaskCreation } from './task-creation.ts'
import { TaskLists } from './task-lists.ts'
import { TaskTexts, type Texts } from './task-texts.ts'

type Held = 'held' | 'cancelling' | 'lost'

const NO_LIMITS: TaskStoreLimits = Object.freeze({})

export class NatsTaskStore implements TaskStore {
  readonly #engine: Engine
  readonly #changes: TaskChanges
  readonly #texts: TaskTexts
  readonly #lists: TaskLists
  readonly #open: OpenTasks
  readonly #admission: TaskAdmission
  readonly #claims: TaskClaims
  readonly #creation: TaskCreation

  constructor(engine: Engine) {
    this.#engine = engine
    this.#open = new OpenTasks(engine)
    this.#changes = new TaskChanges(engine, (owner) => this.#open.nextTurn(owner))
    this.#texts = new TaskTexts(engine)
    this.#lists = new TaskLists(engine)
    this.#admission = new TaskAdmission(engine, this.#open)
    this.#claims = new TaskClaims(engine, this.#changes, this.#texts, this.#open)
    this.#creation = new TaskCreation(engine, {
      changes: this.#changes,
      texts: this.#texts,
      lists: this.#lists,
      open: this.#open,
      admission: this.#admission,
      claims: this.#claims,
    })
    engine.stateSweeper.onRemoved(async (trip, { subject, about }) => {
      const task = readTaskHeader(about)
      if (task !== undefined && subject === engine.names.task(task.id)) await this.#removeRest(trip, task)
    })
  }

  async create(
    given: NewTask & Partial<Journal>,
    { claimFor, limits = NO_LIMITS }: CreateTaskOptions = {},
  ): Promise<Claim | undefined> {
    checkName('tasks.create', given.id)
    this.#check('tasks.create', { input: given.input }, given.steps ?? {}, given.answers ?? {})
    if (claimFor !== undefined) checkTtl('tasks.create', claimFor.leaseMs)
    return this.#creation.create(given, claimFor, limits)
  }

  async discard(claim: Claim): Promise<boolean> {
    let removed: MemoryTask | undefined
    const wasHeld = await this.#changes.held(
      'tasks.discard',
      claim,
      () => false,
      (task) => {
        removed = task
        return { result: true, save: 'gone', news: 'changed' }
      },
    )
    const { owner, dialect } = removed?.given ?? { owner: '', dialect: '' }
    if (wasHeld) this.#beside((trip) => this.#removeRest(trip, { id: claim.id, owner, dialect }))
    return wasHeld
  }

  get(id: string): Promise<Task | undefined> {
    return this.#get('tasks.get', id)
  }

  async list(owner: string, page: TaskPage): Promise<readonly Task[]> {
    return this.#lists.read(owner, page, (id) => this.#get('tasks.list', id))
  }

  async countOpen(owner?: string): Promise<number> {
    await this.#open.refresh('tasks.countOpen')
    await this.#claims.settleOverdue('tasks.countOpen')
    return owner === undefined ? this.#open.size : this.#open.count(owner)
  }

  async claim(
    _worker: string,
    options: { kinds: readonly string[]; max: number; leaseMs: number },
  ): Promise<readonly Claim[]> {
    checkCount('tasks.claim', 'max', options.max, 0)
    checkTtl('tasks.claim', options.leaseMs)
    return this.#claims.claim(options)
  }

  async renew(claim: Claim, leaseMs: number, statusMessage?: string): Promise<Held> {
    checkTtl('tasks.renew', leaseMs)
    if (statusMessage !== undefined) this.#check('tasks.renew', { statusMessage })
    const packed = statusMessage === undefined ? undefined : this.#texts.pack(statusMessage)
    return this.#changes.held<Held>(
      'tasks.renew',
      claim,
      () => 'lost',
      (task, { latest }) => {
        const isNews = task.renew(leaseMs, latest, packed)
        const result = task.cancelledAt === Number.POSITIVE_INFINITY ? 'held' : 'cancelling'
        return { result, save: true, ...(isNews && { news: 'changed' as const }) }
      },
      this.#storing(claim.id, { message: statusMessage ?? '' }),
    )
  }

  async extend(claim: Claim, change: { ttlMs?: number | null; pollIntervalMs?: number }): Promise<boolean> {
    return this.#whileHeld('tasks.extend', claim, {}, (task, now) => {
      task.extend(change, now)
      return 'changed'
    })
  }

  async keepStep(claim: Claim, name: string, value: string, limits = NO_LIMITS): Promise<boolean> {
    this.#check('tasks.keepStep', { name, value })
    await this.#count('tasks.keepStep', [value], limits)
    return this.#whileHeld('tasks.keepStep', claim, { value }, (task) => {
      const bytes = task.hasStep(name) ? 0 : sizeOf({ [name]: value })
      this.#admission.checkBytes('tasks.keepStep', task.given.owner, bytes, limits)
      task.keepStep(name, this.#texts.pack(value))
      return undefined
    })
  }

  async journal(claim: Claim): Promise<Journal | undefined> {
    const packed = await this.#changes.held<Claim | undefined>(
      'tasks.journal',
      claim,
      () => undefined,
      (task) => ({ result: task.toClaim() }),
    )
    return packed && this.#engine.perform('tasks.journal', (trip) => this.#claims.unpackJournal(trip, packed))
  }

  async ask(claim: Claim, questions: Texts, limits = NO_LIMITS): Promise<boolean> {
    this.#check('tasks.ask', questions)
    await this.#count('tasks.ask', Object.values(questions), limits)
    const packed = this.#texts.packAll(questions)
    return this.#whileHeld('tasks.ask', claim, questions, (task, now) => {
      this.#admission.checkBytes('tasks.ask', task.given.owner, sizeOf(task.freshOf(questions)), limits)
      return task.ask(packed, now) ? 'changed' : undefined
    })
  }

  async answer(id: string, answers: Texts, limits = NO_LIMITS): Promise<'taken' | 'ended' | 'unknown'> {
    this.#check('tasks.answer', answers)
    await this.#count('tasks.answer', Object.values(answers), limits)
    const packed = this.#texts.packAll(answers)
    return this.#changes.found<'taken' | 'ended' | 'unknown'>(
      'tasks.answer',
      id,
      'unknown',
      (task, { now }) => {
        if (task.hasEnded) return { result: 'ended' }
        this.#admission.checkBytes('tasks.answer', task.given.owner, sizeOf(task.openOf(answers)), limits)
        const isTaken = task.answer(packed, now)
        return { result: 'taken', ...(isTaken && { save: true, news: 'both' as const }) }
      },
      this.#storing(id, answers),
    )
  }

  async park(claim: Claim): Promise<boolean> {
    return this.#whileHeld('tasks.park', claim, {}, (task, now) => {
      if (endIfCancelling(task, now)) return 'changed'
      return task.park() ? 'work' : undefined
    })
  }

  async release(claim: Claim): Promise<boolean> {
    return this.#whileHeld('tasks.release', claim, {}, (task, now) => {
      if (endIfCancelling(task, now)) return 'changed'
      task.release()
      return 'work'
    })
  }

  async finish(
    claim: Claim,
    { status, text }: TaskOutcome,
    limits = NO_LIMITS,
  ): Promise<'finished' | 'already' | 'lost'> {
    this.#check('tasks.finish', { text })
    const bytes = Buffer.byteLength(text)
    await this.#count('tasks.finish', [text], limits)
    const outcome = { status, text: this.#texts.pack(text) }
    return this.#changes.held<'finished' | 'already' | 'lost'>(
      'tasks.finish',
      claim,
      (task) => (task?.hasEnded === true && !task.isGone(this.#changes.at().earliest) ? 'already' : 'lost'),
      (task, { now }) => {
        // What the task needs no more makes room for its outcome.
        const more = bytes > FREE_OUTCOME_BYTES ? TASK_BYTES + bytes - weightOf(task) : 0
        this.#admission.checkBytes('tasks.finish', task.given.owner, more, limits)
        task.finish(outcome, now)
        return { result: 'finished', save: true, news: 'changed' }
      },
      this.#storing(claim.id, { text }),
    )
  }

  async cancel(id: string, graceMs: number): Promise<'cancelled' | 'cancelling' | 'ended' | 'unknown'> {
    return this.#changes.found<'cancelled' | 'cancelling' | 'ended' | 'unknown'>(
      'tasks.cancel',
      id,
      'unknown',
      (task, { earliest, now, latest }) => {
        if (task.hasEnded) return { result: 'ended' }
        if (task.place === 'leased' && !task.isLost(earliest)) {
          // Without grace it is over at once, whatever the clock of the engine shows.
          task.askToCancel(graceMs === 0 ? earliest : latest + graceMs)
          return { result: 'cancelling', save: true, news: 'changed' }
        }
        task.end('cancelled', now)
        return { result: 'cancelled', save: true, news: 'changed' }
      },
    )
  }

  watch(listener: TaskListener): () => void {
    const { subjects, names } = this.#engine
    const subscription = subjects.listen('tasks.watch', () => names.taskHints, {
      message: (text) => (text === 'w' ? listener.work() : listener.changed(text.slice(1))),
      missed: () => listener.missed(),
    })
    return () => subscription.close()
  }

  async #get(operation: string, id: string): Promise<Task | undefined> {
    if (!isId(id)) return undefined
    const { state, names } = this.#engine
    const view = await this.#engine.perform(operation, async (trip) => {
      const found = readTask(await state.last(trip, names.task(id)))?.task
      const { earliest } = this.#changes.at()
      if (found === undefined || found.isGone(earliest)) return undefined
      return found.overdueAt <= earliest ? ('overdue' as const) : this.#view(trip, found.toTask())
    })
    if (view !== 'overdue') return view
    const settled = await this.#changes.found<Task | undefined>(operation, id, undefined, (task) => ({
      result: task.toTask(),
    }))
    return settled && this.#engine.perform(operation, (trip) => this.#view(trip, settled))
  }

  async #view(trip: Trip, task: Task): Promise<Task> {
    const { id, statusMessage, outcome } = task
    const unpack = (text: string) => this.#texts.unpack(trip, id, text)
    return {
      ...task,
      ...(statusMessage !== undefined && { statusMessage: await unpack(statusMessage) }),
      questions: await this.#texts.unpackAll(trip, id, task.questions),
      ...(outcome !== undefined && { outcome: await unpack(outcome) }),
    }
  }

  /** What is stored by now, where something large is to be added. */
  async #count(operation: string, texts: readonly string[], limits: TaskStoreLimits): Promise<void> {
    if (limits !== NO_LIMITS && texts.some((text) => text.length > FREE_OUTCOME_BYTES))
      await this.#open.refresh(operation)
  }

  #whileHeld(
    operation: string,
    claim: Claim,
    texts: Texts,
    change: (task: MemoryTask, now: number) => 'changed' | 'work' | undefined,
  ): Promise<boolean> {
    return this.#changes.held<boolean>(
      operation,
      claim,
      () => false,
      (task, { now }) => {
        const news = change(task, now)
        return { result: true, save: true, ...(news !== undefined && { news }) }
      },
      this.#storing(claim.id, texts),
    )
  }

  /** Stores what is large before the task names it. */
  #storing(id: string, texts: Texts): ((trip: Trip) => Promise<void>) | undefined {
    return isId(id) ? (trip) => this.#texts.store(trip, id, Object.values(texts), MAX_TTL_MS) : undefined
  }

  /** What belongs to a task that is gone. */
  async #removeRest(trip: Trip, { id, owner, dialect }: Pick<NewTask, 'id' | 'owner' | 'dialect'>): Promise<void> {
    await this.#lists.remove(trip, owner, dialect, id)
    await this.#texts.remove(trip, id)
  }

  /** Nobody waits for it, and the sweep does it otherwise. */
  #beside(work: (trip: Trip) => Promise<void>): void {
    this.#engine.perform('sweep', work).catch(() => {})
  }

  #check(operation: string, ...all: Texts[]): void {
    for (const texts of all)
      for (const name in texts) checkValue(operation, texts[name] as string, this.#engine.maxValueBytes)
  }
}

/** A run that was to be cancelled and is given up is cancelled. */
function endIfCancelling(task: MemoryTask, now: number): boolean {
  return task.cancelledAt !== Number.POSITIVE_INFINITY && task.end('cancelled', now)
}

function sizeOf(texts: Texts): number {
  return Object.entries(texts).reduce((sum, pair) => sum + Buffer.byteLength(pair[0]) + Buffer.byteLength(pair[1]), 0)
}
