// Makes tasks of calls: within the limits, for their caller, with a worker of this process where one is free.
import type { Claim, Journal, Task, TaskStore } from '../../../backend/task-store.ts'
import type { TaskPlan } from '../../../mcpserver/extensions/task-plan.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { TaskDialect } from '../../../types/extensions/tasks.ts'
import type { Admission } from './admission.ts'
import type { WorkerSlot } from './runs/worker-slots.ts'
import { writeInput } from './values/input.ts'
import type { KeptTokens } from './values/kept-token.ts'
import { repeatWithin } from './values/repeat.ts'
import { isOutcomeUnknown, toClientError } from './values/store-errors.ts'
import { createTaskId } from './values/task-id.ts'

/** How long a task is withdrawn whose caller has got an error. */
const WITHDRAW_MS = 30_000

export interface NewTaskOptions {
  readonly dialect: TaskDialect
  readonly plan: TaskPlan
  readonly ttlMs: number | null
  /** What a call has behind it that becomes a task while it runs. */
  readonly journal?: Journal
  /** Claims the task for this process without running it: the call runs already. */
  readonly isRunning?: boolean
  /** Called before the task runs, in this process at least. */
  onCreated?(task: Task): void
}

export interface CreatedTask {
  readonly task: Task
  /** The claim, if the task was created with `isRunning`. */
  readonly claim: Claim | undefined
}

export interface TaskCreationOptions {
  readonly store: TaskStore
  readonly admission: Admission
  readonly tokens: KeptTokens
  readonly clock: () => Clock
  /** The name of this process in claims. */
  readonly worker: string
  /** The lease of a claim until a job system begins with it; `undefined` where runs are in this process. */
  readonly handoverMs: number | undefined
  get(id: string): MaybePromise<Task | undefined>
  ownerOf(request: ServerRequestContext): string
  isStopping(): boolean
  /** The place of one more run; `undefined` where none is free. */
  reserve(): WorkerSlot | undefined
  start(claim: Claim, slot: WorkerSlot): void
  /** Called with each new task, before anybody else knows of it. */
  onCreated(task: Task): void
  onError(error: unknown): void
}

export class TaskCreation {
  readonly #options: TaskCreationOptions

  constructor(options: TaskCreationOptions) {
    this.#options = options
  }

  /** Everybody can find the task once this resolves. Rejects with `MCPError` where there are too many, or the server stops. */
  async create(request: ServerRequestContext, tool: string, options: NewTaskOptions): Promise<CreatedTask> {
    const { admission, tokens, worker, handoverMs } = this.#options
    const { dialect, plan, journal, isRunning = false } = options
    this.#assertGoing()
    const owner = this.#options.ownerOf(request)
    const id = createTaskId()
    const sealed = tokens.seal(id, request)
    const given = {
      id,
      owner,
      kind: tool,
      dialect,
      input: writeInput(request, sealed instanceof Promise ? await sealed : sealed),
      ttlMs: admission.limitTtl(owner, options.ttlMs, plan),
      keepMs: plan.keepMs,
      pollIntervalMs: plan.pollIntervalMs,
      maxAttempts: plan.attempts,
      ...journal,
    }
    const slot = isRunning ? undefined : this.#options.reserve()
    const leaseMs = isRunning ? plan.leaseMs : (handoverMs ?? plan.leaseMs)
    const claimFor = isRunning || slot !== undefined ? { claimFor: { worker, leaseMs } } : {}
    let isStarted = false
    try {
      const claim = await admission.admit(owner, (limits) => this.#store(given, { ...claimFor, limits }))
      const task = await this.#announce(id, claim, options)
      if (claim !== undefined && slot !== undefined) {
        isStarted = true
        this.#options.start(claim, slot)
      }
      return { task, claim }
    } finally {
      if (!isStarted) slot?.close()
    }
  }

  /** If nobody knows whether the task exists, it is created once more, which changes nothing, and withdrawn if that fails too. */
  async #store(...[task, options]: Parameters<TaskStore['create']>): Promise<Claim | undefined> {
    const { store, clock, onError } = this.#options
    try {
      return await store.create(task, options)
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
    }
    try {
      return await store.create(task, options)
    } catch (error) {
      repeatWithin(clock(), WITHDRAW_MS, () => store.cancel(task.id, 0)).catch(onError)
      throw error
    }
  }

  /** Nobody learns of a task whose announcement fails, so that it must not run. */
  async #announce(id: string, claim: Claim | undefined, options: NewTaskOptions): Promise<Task> {
    const { store, onError } = this.#options
    try {
      const found = this.#options.get(id)
      const task = found instanceof Promise ? await found : found
      if (task === undefined) throw new MCPError(ErrorCode.InternalError, 'The task could not be created.')
      this.#assertGoing()
      this.#options.onCreated(task)
      options.onCreated?.(task)
      return task
    } catch (error) {
      const withdrawn =
        claim === undefined ? store.cancel(id, 0) : store.finish(claim, { status: 'cancelled', text: '' })
      await withdrawn.catch(onError)
      throw toClientError(error)
    }
  }

  #assertGoing(): void {
    if (!this.#options.isStopping()) return
    throw new MCPError(ErrorCode.InternalError, 'The server is stopping and takes no new tasks.')
  }
}
