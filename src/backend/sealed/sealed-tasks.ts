// Tasks whose texts are sealed: input, steps, questions, answers, outcome and message, each under the task's id and its own name.
// Owner, kind, dialect, times and the names of steps and questions stay readable, since the engine works with them.
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { BackendError } from '../backend-error.ts'
import { isTaskEnding } from '../task-endings.ts'
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
} from '../task-store.ts'
import type { Seal } from './seal.ts'

type Texts = Readonly<Record<string, string>>
/** Ends the names of a task's texts. Steps, questions and answers have a name of their own behind it. */
type Field = 'input' | 'outcome' | 'message' | 'step' | 'question' | 'answer'

/** After this long a task of a newer release is offered again, to this node too: it must not be all that this node does. */
const OFFER_AGAIN_MS = 2_000

export class SealedTasks implements TaskStore {
  readonly #tasks: TaskStore
  readonly #seal: Seal
  /** Claims of tasks that only a newer release can read. */
  readonly #unread = new Map<Claim, Timer>()

  constructor(tasks: TaskStore, seal: Seal) {
    this.#tasks = tasks
    this.#seal = seal
  }

  async create(task: NewTask & Partial<Journal>, options?: CreateTaskOptions): Promise<Claim | undefined> {
    const { id, steps, answers } = task
    const sealed = {
      ...task,
      input: await this.#sealText(id, 'input', task.input),
      ...(steps !== undefined && { steps: await this.#sealAll(id, 'step', steps) }),
      ...(answers !== undefined && { answers: await this.#sealAll(id, 'answer', answers) }),
    }
    const claim = await this.#tasks.create(sealed, options)
    return claim === undefined ? undefined : this.#openClaim('tasks.create', claim)
  }

  async get(id: string): Promise<Task | undefined> {
    const task = await this.#tasks.get(id)
    return task === undefined ? undefined : this.#openTask('tasks.get', task)
  }

  async list(owner: string, page: TaskPage): Promise<readonly Task[]> {
    const tasks = await this.#tasks.list(owner, page)
    return present(await Promise.all(tasks.map((task) => this.#openTask('tasks.list', task))))
  }

  /**
   * A claim that cannot be opened is given to nobody, and is lost with its lease. One of a newer release goes back to the queue, for
   * a node that can read it.
   */
  async claim(
    worker: string,
    options: { kinds: readonly string[]; max: number; leaseMs: number },
  ): Promise<readonly Claim[]> {
    const claims = await this.#tasks.claim(worker, options)
    return present(await Promise.all(claims.map((claim) => this.#openOrGiveBack(claim, options.leaseMs))))
  }

  /** Gives back at once what this node cannot read. */
  async close(): Promise<void> {
    await Promise.all([...this.#unread.keys()].map((claim) => this.#giveBack(claim)))
  }

  async renew(claim: Claim, leaseMs: number, statusMessage?: string): Promise<'held' | 'cancelling' | 'lost'> {
    if (statusMessage === undefined) return this.#tasks.renew(claim, leaseMs)
    return this.#tasks.renew(claim, leaseMs, await this.#sealText(claim.id, 'message', statusMessage))
  }

  async keepStep(claim: Claim, name: string, value: string, limits?: TaskStoreLimits): Promise<boolean> {
    return this.#tasks.keepStep(claim, name, await this.#sealText(claim.id, 'step', value, name), limits)
  }

  async journal(claim: Claim): Promise<Journal | undefined> {
    const journal = await this.#tasks.journal(claim)
    return journal === undefined ? undefined : this.#openJournal('tasks.journal', claim.id, journal)
  }

  async ask(claim: Claim, questions: Texts, limits?: TaskStoreLimits): Promise<boolean> {
    return this.#tasks.ask(claim, await this.#sealAll(claim.id, 'question', questions), limits)
  }

  async answer(id: string, answers: Texts, limits?: TaskStoreLimits): Promise<'taken' | 'ended' | 'unknown'> {
    return this.#tasks.answer(id, await this.#sealAll(id, 'answer', answers), limits)
  }

  async finish(
    claim: Claim,
    { status, text }: TaskOutcome,
    limits?: TaskStoreLimits,
  ): Promise<'finished' | 'already' | 'lost'> {
    return this.#tasks.finish(claim, { status, text: await this.#sealText(claim.id, 'outcome', text) }, limits)
  }

  discard(claim: Claim): Promise<boolean> {
    return this.#tasks.discard(claim)
  }

  countOpen(owner?: string): Promise<number> {
    return this.#tasks.countOpen(owner)
  }

  extend(claim: Claim, change: { ttlMs?: number | null; pollIntervalMs?: number }): Promise<boolean> {
    return this.#tasks.extend(claim, change)
  }

  park(claim: Claim): Promise<boolean> {
    return this.#tasks.park(claim)
  }

  release(claim: Claim): Promise<boolean> {
    return this.#tasks.release(claim)
  }

  cancel(id: string, graceMs: number): Promise<'cancelled' | 'cancelling' | 'ended' | 'unknown'> {
    return this.#tasks.cancel(id, graceMs)
  }

  watch(listener: TaskListener): () => void {
    return this.#tasks.watch(listener)
  }

  async #openTask(operation: string, task: Task): Promise<Task | undefined> {
    const { id, statusMessage, outcome, ...rest } = task
    const questions = await this.#openAll(operation, id, 'question', task.questions)
    const message = await this.#openMessage(operation, id, statusMessage)
    const text = outcome === undefined ? undefined : await this.#openText(operation, id, 'outcome', outcome)
    const isWhole =
      (message !== undefined || statusMessage === undefined) && (text !== undefined || outcome === undefined)
    if (questions === undefined || !isWhole) return undefined
    return {
      ...rest,
      id,
      questions,
      ...(message !== undefined && { statusMessage: message }),
      ...(text !== undefined && { outcome: text }),
    }
  }

  /** What the store itself says is not sealed, and is one of a few sentences. */
  async #openMessage(operation: string, id: string, message: string | undefined): Promise<string | undefined> {
    if (message === undefined || isTaskEnding(message)) return message
    return this.#openText(operation, id, 'message', message)
  }

  async #openClaim(operation: string, claim: Claim): Promise<Claim | undefined> {
    const input = await this.#openText(operation, claim.id, 'input', claim.input)
    const journal = await this.#openJournal(operation, claim.id, claim)
    return input === undefined || journal === undefined ? undefined : { ...claim, ...journal, input }
  }

  async #openOrGiveBack(claim: Claim, leaseMs: number): Promise<Claim | undefined> {
    try {
      return await this.#openClaim('tasks.claim', claim)
    } catch (error) {
      if (!(error instanceof BackendError) || error.kind !== 'newer-data') throw error
      const timer = setTimeout(() => void this.#giveBack(claim), Math.min(OFFER_AGAIN_MS, leaseMs / 3))
      unref(timer)
      this.#unread.set(claim, timer)
      this.#seal.warn('A task was stored by a newer release, which this node cannot read. It waits for another node.')
      return undefined
    }
  }

  async #giveBack(claim: Claim): Promise<void> {
    clearTimeout(this.#unread.get(claim))
    this.#unread.delete(claim)
    try {
      await this.#tasks.release(claim)
    } catch {
      // It is lost with its lease.
    }
  }

  async #openJournal(operation: string, id: string, journal: Journal): Promise<Journal | undefined> {
    const steps = await this.#openAll(operation, id, 'step', journal.steps)
    const answers = await this.#openAll(operation, id, 'answer', journal.answers)
    return steps === undefined || answers === undefined ? undefined : { steps, answers }
  }

  async #sealAll(id: string, field: Field, texts: Texts): Promise<Texts> {
    const sealed = Object.create(null) as Record<string, string>
    for (const [name, text] of Object.entries(texts)) sealed[name] = await this.#sealText(id, field, text, name)
    return sealed
  }

  async #openAll(operation: string, id: string, field: Field, texts: Texts): Promise<Texts | undefined> {
    const opened = Object.create(null) as Record<string, string>
    for (const [name, text] of Object.entries(texts)) {
      const plain = await this.#openText(operation, id, field, text, name)
      if (plain === undefined) return undefined
      opened[name] = plain
    }
    return opened
  }

  async #sealText(id: string, field: Field, text: string, name = ''): Promise<string> {
    return this.#seal.seal(fieldName(id, field, name), text)
  }

  async #openText(operation: string, id: string, field: Field, text: string, name = ''): Promise<string | undefined> {
    return this.#seal.open(operation, fieldName(id, field, name), text)
  }
}

/** Ids and fields have no line breaks, so that no name of a step can look like another task. */
function fieldName(id: string, field: Field, name: string): string {
  return `${JSON.stringify(id)} ${field}\n${name}`
}

function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined)
}
