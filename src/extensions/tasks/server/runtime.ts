// The tasks of one server: creates them, runs them, and finds them for those who may.
import { MemoryTaskStore } from '../../../backend/memory-task-store.ts'
import type { Claim, Journal, Task, TaskPage, TaskStore } from '../../../backend/task-store.ts'
import type { Progress } from '../../../dispatcher/dispatcher.ts'
import type { AroundTool } from '../../../mcpserver/extensions/extension-parts.ts'
import type { RegistrySource } from '../../../mcpserver/registry-source.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { settlesWithin } from '../../../primitives/async/timer.ts'
import { encodeBase64Url } from '../../../primitives/base64.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { ServerCore } from '../../../server/core.ts'
import type { Lease } from '../../../server/lifespan.ts'
import { serveRun } from '../../../server/task-run.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { TaskDialect } from '../../../types/extensions/tasks.ts'
import type { TaskPlan } from '../options/plan.ts'
import {
  DEFAULT_LIMITS,
  DEFAULT_WORKERS,
  type GivenTasksOptions,
  TASK_INTERNALS,
  type TaskLimits,
} from '../options/tasks-options.ts'
import { Admission } from './admission.ts'
import { TaskCensus } from './census.ts'
import { withLimitErrors } from './full-store.ts'
import { Handover } from './handover.ts'
import { readInput, writeInput } from './input.ts'
import { KeptTokens } from './kept-token.ts'
import { Leases } from './leases.ts'
import { digestOwner, isNobody, type OwnerOf, principalOf } from './owner.ts'
import { CANCEL_GRACE_MS, ClaimedRun, type RunEnd, type RunSetting } from './run.ts'
import { createTaskId, isTaskId, unknownTask } from './task-id.ts'
import type { WorkerSlot } from './worker-slots.ts'
import { Workers } from './workers.ts'

const CALL_TOOL = 'tools/call'
const WATCHED = 'taskIds'

/** Jobs that are being handed over at once. */
const MAX_HANDOVERS = 64

/** How long the outcome of a run that was stopped may take to be written. */
const STOP_MS = 1_000

/** The plans of the tools of a server, by what runs around their calls. */
export type TaskPlans = WeakMap<AroundTool, TaskPlan>

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

/** Learns what happens to the tasks of this process, and as far as the store reports it, of others. Must not throw. */
export interface TaskListener {
  /** A hint: look at the task. */
  changed(id: string): void
  /** A run in this process reports progress. */
  progress(id: string, progress: Progress): void
}

export interface CreatedTask {
  readonly task: Task
  /** With `isRunning`. */
  readonly claim: Claim | undefined
}

export class TaskRuntime {
  readonly store: TaskStore
  readonly limits: Required<TaskLimits>
  readonly #server: ServerCore
  readonly #plans: TaskPlans
  readonly #ownerOf: OwnerOf
  readonly #setting: RunSetting
  readonly #isShared: boolean
  readonly #memory: MemoryTaskStore | undefined
  readonly #workers: Workers
  readonly #handover: Handover | undefined
  readonly #tokens: KeptTokens
  readonly #census: TaskCensus
  readonly #leases: Leases
  readonly #admission: Admission
  readonly #runs = new Map<string, ClaimedRun>()
  readonly #worker = encodeBase64Url(crypto.getRandomValues(new Uint8Array(9)))
  #serverLease: Promise<Lease> | undefined
  #unregister: (() => void) | undefined
  #unwatch: (() => void) | undefined
  #isStopping = false
  readonly #onIdle: (() => void)[] = []
  readonly #listeners = new Set<TaskListener>()

  constructor(server: ServerCore, options: GivenTasksOptions, plans: TaskPlans) {
    this.#server = server
    this.#plans = plans
    this.#ownerOf = options.owner ?? principalOf
    this.limits = { ...DEFAULT_LIMITS, ...options.limits }
    const given = options[TASK_INTERNALS]?.store
    this.#isShared = given !== undefined
    const { maxBytesPerOwner, maxBytes } = this.limits
    const onListenerError = (error: unknown) => this.#report(error)
    const now = () => server.clock.now()
    const memory = new MemoryTaskStore({ now, onListenerError, maxBytesPerOwner, maxBytes })
    this.#memory = given === undefined ? memory : undefined
    this.store = given ?? memory
    const onProgress = (id: string, progress: Progress) => {
      for (const listener of this.#listeners) listener.progress(id, progress)
    }
    this.#setting = { server, store: this.store, limits: this.limits, maxQuestions: 100, onProgress }
    this.#admission = new Admission(this.store, this.limits)
    this.#census = new TaskCensus(server, this.store)
    this.#tokens = new KeptTokens(options.keepTokens)
    const { executor } = options
    this.#handover = executor && new Handover(executor, this.store, (error) => this.#report(error))
    const clock = () => server.clock
    this.#leases = new Leases(clock)
    this.#workers = new Workers({
      store: this.store,
      clock,
      name: this.#worker,
      max: this.#handover === undefined ? (options.workers ?? DEFAULT_WORKERS) : MAX_HANDOVERS,
      ...(this.#handover !== undefined && { firstLeaseMs: this.#handover.leaseMs }),
      kinds: () => this.#tools.names().filter((name) => this.planOf(name) !== undefined),
      run: (claim, slot) => this.#handover?.start(claim) ?? this.run(claim, slot),
      onError: (error) => this.#report(error),
    })
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#server.clock.now()
  }

  /** The server starts. What is returned ends with it. */
  start(): { close(): void } {
    this.#isStopping = false
    this.#unwatch ??= this.store.watch({
      changed: (id) => this.#changed(id),
      work: () => this.#workers.wake(),
      missed: () => this.#workers.wake(),
    })
    this.#workers.open()
    return {
      close: () => {
        this.#workers.close()
        this.#unwatch?.()
        this.#unwatch = undefined
      },
    }
  }

  /** Whether a tool is registered that can become a task. */
  get hasTools(): boolean {
    return this.#tools.names().some((name) => this.planOf(name) !== undefined)
  }

  /** How a tool becomes a task; `undefined` for a tool that does not, or is not there. */
  planOf(tool: string): TaskPlan | undefined {
    const around = this.#tools.find(tool)?.around
    return around === undefined ? undefined : this.#plans.get(around)
  }

  /**
   * Makes a task of a call, for its caller. Everybody can find it once this resolves. Rejects with `MCPError` where there are too
   * many already.
   */
  async create(request: ServerRequestContext, tool: string, options: NewTaskOptions): Promise<CreatedTask> {
    const { dialect, plan, journal, isRunning = false } = options
    if (this.#isStopping) throw new MCPError(ErrorCode.InternalError, 'The server is stopping and takes no new tasks.')
    const owner = digestOwner(this.#ownerOf, request)
    const id = createTaskId()
    const sealed = this.#tokens.seal(id, request)
    const given = {
      id,
      owner,
      kind: tool,
      dialect,
      input: writeInput(request, sealed instanceof Promise ? await sealed : sealed),
      ttlMs: this.#admission.limitTtl(owner, options.ttlMs, plan),
      keepMs: plan.keepMs,
      pollIntervalMs: plan.pollIntervalMs,
      maxAttempts: plan.attempts,
      ...journal,
    }
    const slot = isRunning ? undefined : this.#workers.reserve()
    const leaseMs = isRunning ? plan.leaseMs : (this.#handover?.leaseMs ?? plan.leaseMs)
    const claimFor = isRunning || slot !== undefined ? { claimFor: { worker: this.#worker, leaseMs } } : {}
    let isStarted = false
    try {
      const claim = await this.#admission.admit(owner, () => this.store.create(given, claimFor))
      const task = await this.#announceNew(id, claim, options)
      if (claim !== undefined && slot !== undefined) {
        isStarted = true
        void this.#workers.start(claim, slot)
      }
      return { task, claim }
    } finally {
      if (!isStarted) slot?.close()
    }
  }

  /** Nobody learns of a task whose announcement fails, so that it must not run. */
  async #announceNew(id: string, claim: Claim | undefined, options: NewTaskOptions): Promise<Task> {
    try {
      const task = this.#memory?.getNow(id) ?? (await this.store.get(id))
      if (task === undefined) throw new MCPError(ErrorCode.InternalError, 'The task could not be created.')
      this.#census.add(task)
      options.onCreated?.(task)
      return task
    } catch (error) {
      const withdrawn =
        claim === undefined ? this.store.cancel(id, 0) : this.store.finish(claim, { status: 'cancelled', text: '' })
      await withdrawn.catch((failure: unknown) => this.#report(failure))
      throw error
    }
  }

  /**
   * The task for this caller: the one way to it, whatever is done with it. Rejects with one and the same error for a task that is
   * missing, expired, somebody else's, of the other dialect, or of a tool that the caller can't use any more. With `toCancel` the
   * last of these does not matter.
   */
  async lookUp(request: ServerRequestContext, id: string, dialect: TaskDialect, toCancel = false): Promise<Task> {
    const task = isTaskId(id) ? await this.store.get(id) : undefined
    return this.#admit(request, task, dialect, toCancel)
  }

  /** As `lookUp`, at once where the tasks are in the memory of this process. */
  lookUpNow(request: ServerRequestContext, id: string, dialect: TaskDialect): MaybePromise<Task> {
    if (this.#memory === undefined) return this.lookUp(request, id, dialect)
    return this.#admit(request, isTaskId(id) ? this.#memory.getNow(id) : undefined, dialect, false)
  }

  #admit(request: ServerRequestContext, task: Task | undefined, dialect: TaskDialect, toCancel: boolean): Task {
    const owner = this.#identify(request)
    const isFound = task !== undefined && task.owner === owner && task.dialect === dialect
    if (!isFound || (!toCancel && !this.#tools.mayUse(task.kind, request))) throw unknownTask()
    return task
  }

  /** Answers open questions. All other keys are ignored. */
  async answer(task: Task, answers: Readonly<Record<string, unknown>>): Promise<void> {
    const open = Object.entries(answers).filter(([key]) => Object.hasOwn(task.questions, key))
    if (open.length === 0) return
    const texts = Object.fromEntries(open.map(([key, answer]) => [key, JSON.stringify(answer)]))
    await withLimitErrors(this.store.answer(task.id, texts))
  }

  /** Cancels at once what nobody runs. A run is asked to stop, and the task is cancelled after `graceMs` whatever it does. */
  async cancel(task: Task, graceMs: number = CANCEL_GRACE_MS): Promise<void> {
    if ((await this.store.cancel(task.id, graceMs)) !== 'cancelling') return
    const run = this.#runs.get(task.id)
    if (run !== undefined) run.cancel()
    else await this.#handover?.cancel(task.id)
  }

  /** Whether the caller can be told apart from others. */
  isKnown(request: ServerRequestContext): boolean {
    const owner = this.#identify(request)
    return owner !== undefined && !isNobody(owner)
  }

  /** Whether there is a task of this id that belongs to the caller. */
  async owns(request: ServerRequestContext, id: string): Promise<boolean> {
    const task = isTaskId(id) ? await this.store.get(id) : undefined
    return task !== undefined && task.owner === this.#identify(request)
  }

  /** Whether the caller may still use the tool of its task. */
  mayUse(task: Task, request: ServerRequestContext): boolean {
    return this.#tools.mayUse(task.kind, request)
  }

  /** The returned function ends it. */
  listen(listener: TaskListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Tasks of the caller in one dialect, oldest first. */
  async list(request: ServerRequestContext, page: TaskPage): Promise<readonly Task[]> {
    return this.store.list(digestOwner(this.#ownerOf, request), page)
  }

  /** One run of a task, to its end; with the slot of a worker, until its handler has ended. Never rejects. */
  async run(claim: Claim, slot?: WorkerSlot): Promise<RunEnd> {
    const plan = this.planOf(claim.kind)
    if (plan === undefined) {
      this.#report(new Error(`The tool of a task is not registered in this process: ${JSON.stringify(claim.kind)}`))
      await this.store.release(claim).catch((error: unknown) => this.#report(error))
      return 'released'
    }
    const run = new ClaimedRun(this.#setting, claim, plan, slot)
    const end = await this.follow(run, async () => {
      const { facts, params, sealed } = readInput(claim.kind, claim.input)
      const opened = this.#tokens.open(claim.id, sealed)
      const headers = opened instanceof Promise ? await opened : opened
      return serveRun(this.#server, run, { ...facts, headers }, CALL_TOOL, { ...params, ...run.journal.roundParams })
    })
    if (slot !== undefined) await run.handler.whenOver()
    return end
  }

  /** As `run`, for a claim that came back from a job system: it may have been lost or run meanwhile. */
  async runHandedOver(claim: Claim): Promise<void> {
    const plan = this.planOf(claim.kind)
    if (plan !== undefined && (await this.store.renew(claim, plan.leaseMs)) === 'lost') return
    if (!this.#runs.has(claim.id)) await this.run(claim)
  }

  /** A run for a call that has begun in a request and goes on as a task. Give it to `follow`. */
  adopt(claim: Claim, plan: TaskPlan): ClaimedRun {
    return new ClaimedRun(this.#setting, claim, plan)
  }

  /** Keeps the lease of a run, and the server open, until its work has ended. Never rejects. */
  async follow(run: ClaimedRun, work: Parameters<ClaimedRun['follow']>[0]): Promise<RunEnd> {
    const { id } = run.claim
    this.#runs.get(id)?.lose()
    this.#runs.set(id, run)
    this.#leases.add(run)
    this.#unregister ??= this.#server.closeFirst({ close: ({ drainMs }) => this.#stop(drainMs) })
    this.#serverLease ??= this.#server.start()
    try {
      await this.#serverLease
      return await run.follow(work)
    } catch (error) {
      this.#report(error)
      return 'lost'
    } finally {
      this.#leases.delete(run)
      if (this.#runs.get(id) === run) this.#runs.delete(id)
      const over = run.handler.whenOver()
      if (over !== undefined) this.#admission.lingering.add(id, over).catch((error: unknown) => this.#report(error))
      if (this.#runs.size === 0) {
        for (const resolve of this.#onIdle.splice(0)) resolve()
        await this.#leaveServer()
      }
    }
  }

  async #leaveServer(): Promise<void> {
    const lease = this.#serverLease
    this.#serverLease = undefined
    this.#unregister?.()
    this.#unregister = undefined
    try {
      await (await lease)?.release()
    } catch (error) {
      this.#report(error)
    }
  }

  /** Lets runs end by themselves for a while, and then stops them. */
  async #stop(drainMs: number): Promise<void> {
    this.#isStopping = true
    this.#workers.close()
    if (drainMs > 0) await settlesWithin(this.#idle(), drainMs)
    for (const run of this.#runs.values()) run.stop(this.#isShared && run.plan.attempts > 1)
    await settlesWithin(this.#idle(), STOP_MS)
  }

  /** Resolves when nothing runs. */
  #idle(): Promise<void> {
    return this.#runs.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve))
  }

  #identify(request: ServerRequestContext): string | undefined {
    try {
      return digestOwner(this.#ownerOf, request)
    } catch (error) {
      // Fails closed: who can't be told apart owns nothing.
      this.#report(error)
      return undefined
    }
  }

  #changed(id: string): void {
    this.#census.look(id)
    this.#runs.get(id)?.hint()
    for (const listener of this.#listeners) listener.changed(id)
    this.#server.announce({ type: 'extensionChanged', filter: WATCHED, key: id }).catch((e: unknown) => this.#report(e))
  }

  get #tools(): RegistrySource['tools'] {
    return (this.#server.source as RegistrySource).tools
  }

  #report(error: unknown): void {
    this.#server.faults.report({ kind: 'handler-failed', message: 'A task could not be handled', error })
  }
}
