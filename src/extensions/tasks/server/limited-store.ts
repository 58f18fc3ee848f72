// A store that keeps within the limits of bytes of `tasks()`, whichever engine keeps it. How many tasks may be open is for `Admission`.
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
} from '../../../backend/task-store.ts'

type Texts = Readonly<Record<string, string>>

export class LimitedTaskStore implements TaskStore {
  readonly #store: TaskStore
  readonly #limits: TaskStoreLimits

  constructor(store: TaskStore, { maxBytesPerOwner, maxBytes }: Required<TaskStoreLimits>) {
    this.#store = store
    this.#limits = { maxBytesPerOwner, maxBytes }
  }

  create(task: NewTask & Partial<Journal>, options?: CreateTaskOptions): Promise<Claim | undefined> {
    return this.#store.create(task, { ...options, limits: { ...this.#limits, ...options?.limits } })
  }

  keepStep(claim: Claim, name: string, value: string): Promise<boolean> {
    return this.#store.keepStep(claim, name, value, this.#limits)
  }

  ask(claim: Claim, questions: Texts): Promise<boolean> {
    return this.#store.ask(claim, questions, this.#limits)
  }

  answer(id: string, answers: Texts): Promise<'taken' | 'ended' | 'unknown'> {
    return this.#store.answer(id, answers, this.#limits)
  }

  finish(claim: Claim, outcome: TaskOutcome): Promise<'finished' | 'already' | 'lost'> {
    return this.#store.finish(claim, outcome, this.#limits)
  }

  discard(claim: Claim): Promise<boolean> {
    return this.#store.discard(claim)
  }

  get(id: string): Promise<Task | undefined> {
    return this.#store.get(id)
  }

  list(owner: string, page: TaskPage): Promise<readonly Task[]> {
    return this.#store.list(owner, page)
  }

  countOpen(owner?: string): Promise<number> {
    return this.#store.countOpen(owner)
  }

  claim(
    worker: string,
    options: { kinds: readonly string[]; max: number; leaseMs: number },
  ): Promise<readonly Claim[]> {
    return this.#store.claim(worker, options)
  }

  renew(claim: Claim, leaseMs: number, statusMessage?: string): Promise<'held' | 'cancelling' | 'lost'> {
    return this.#store.renew(claim, leaseMs, statusMessage)
  }

  extend(claim: Claim, change: { ttlMs?: number | null; pollIntervalMs?: number }): Promise<boolean> {
    return this.#store.extend(claim, change)
  }

  journal(claim: Claim): Promise<Journal | undefined> {
    return this.#store.journal(claim)
  }

  park(claim: Claim): Promise<boolean> {
    return this.#store.park(claim)
  }

  release(claim: Claim): Promise<boolean> {
    return this.#store.release(claim)
  }

  cancel(id: string, graceMs: number): Promise<'cancelled' | 'cancelling' | 'ended' | 'unknown'> {
    return this.#store.cancel(id, graceMs)
  }

  watch(listener: TaskListener): () => void {
    return this.#store.watch(listener)
  }
}
