// The tasks of one server: puts together who creates them, who runs them, who finds them and who hears of their changes.
import { MemoryTaskStore } from '../../../backend/memory-task-store.ts'
import type { Task, TaskStore } from '../../../backend/task-store.ts'
import type { Progress } from '../../../dispatcher/dispatcher.ts'
import type { TaskPlan } from '../../../mcpserver/extensions/task-plan.ts'
import type { AroundTool } from '../../../mcpserver/extensions/tool-options.ts'
import type { RegistrySource } from '../../../mcpserver/registry-source.ts'
import { encodeBase64Url } from '../../../primitives/base64.ts'
import type { ServerCore } from '../../../server/core.ts'
import { DEFAULT_WORKERS, withDefaultLimits } from '../options/task-limits.ts'
import { type GivenTasksOptions, TASK_INTERNALS, type TaskTools } from '../options/tasks-options.ts'
import { Admission } from './admission.ts'
import { LimitedTaskStore } from './limited-store.ts'
import { ObservedTasks } from './observed-tasks.ts'
import { CANCEL_GRACE_MS } from './runs/claimed-run.ts'
import { Handover } from './runs/handover.ts'
import { TaskRuns } from './runs/task-runs.ts'
import { Workers } from './runs/workers.ts'
import { TaskAccess } from './task-access.ts'
import { TaskCreation } from './task-creation.ts'
import { KeptTokens } from './values/kept-token.ts'
import { principalOf } from './values/owner.ts'
import { repeatWithin } from './values/repeat.ts'
import { isEngineAway, toClientError } from './values/store-errors.ts'
import { WaitingTasks, type WaitingTasksOptions } from './waiting-tasks.ts'
import { WatchedTasks } from './watched-tasks.ts'

/** Jobs that are being handed over at once. */
const MAX_HANDOVERS = 64

/** An engine that is away is reported this often. */
const REPORT_MS = 60_000

/** How many questions one run may ask. */
const MAX_QUESTIONS = 100

/** The plans of the tools of a server, by what runs around their calls. */
export type TaskPlans = WeakMap<AroundTool, TaskPlan>

/** Learns what happens to the tasks of this process, and as far as the store reports it, of others. Must not throw. */
export interface TaskListener {
  /** Hints that the task may have changed. */
  changed(id: string): void
  /** Hints were lost: look at every task. */
  missed(): void
  /** A run in this process reports progress. */
  progress(id: string, progress: Progress): void
}

export class TaskRuntime {
  readonly store: TaskStore
  readonly access: TaskAccess
  readonly creation: TaskCreation
  readonly runs: TaskRuns
  /** Those that somebody in this process waits for. */
  readonly watched: WatchedTasks
  readonly #server: ServerCore
  readonly #plans: TaskPlans
  readonly #given: TaskTools | undefined
  readonly #workers: Workers
  readonly #handover: Handover | undefined
  /** Set if this process runs no tasks. */
  readonly #waiting: WaitingTasks | undefined
  readonly #listeners = new Set<TaskListener>()
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(server: ServerCore, options: GivenTasksOptions, plans: TaskPlans) {
    this.#server = server
    this.#plans = plans
    this.#given = options[TASK_INTERNALS]?.tools
    const limits = withDefaultLimits(options.limits)
    const onError = (error: unknown) => this.report(error)
    const clock = () => server.clock
    const { store: opened, memory, isShared } = openStore(server, options, onError)
    const store = new LimitedTaskStore(opened, limits)
    const get = (id: string) => memory?.getNow(id) ?? (memory === undefined ? store.get(id) : undefined)
    this.store = store
    this.watched = new WatchedTasks({ get, clock, losesHints: memory === undefined, onError })
    const tools = () => this.#tools
    this.access = new TaskAccess({ store, memory, ownerOf: options.owner ?? principalOf, tools, onError })
    const tokens = new KeptTokens(options.keepTokens)
    const admission = new Admission(store, limits, (error) => isEngineAway(error) && onError(error))
    const observed = new ObservedTasks(server, this.watched)
    const { executor } = options
    this.#handover = executor && new Handover(executor, store, onError)
    const onProgress = (id: string, progress: Progress) => {
      for (const listener of this.#listeners) listener.progress(id, progress)
    }
    this.runs = new TaskRuns({
      setting: {
        server,
        store,
        watched: this.watched,
        limits,
        maxQuestions: MAX_QUESTIONS,
        onStoreError: onError,
        onProgress,
      },
      tokens,
      lingering: admission.lingering,
      memory,
      isShared,
      workers: () => this.#workers,
      planOf: (tool) => this.planOf(tool),
      onError,
    })
    const worker = encodeBase64Url(crypto.getRandomValues(new Uint8Array(9)))
    const max = this.#handover === undefined ? workersOf(server, options) : MAX_HANDOVERS
    this.#waiting = max === 0 ? new WaitingTasks({ clock, get, report: reportTo(server) }) : undefined
    this.#workers = new Workers({
      store,
      clock,
      name: worker,
      max,
      leaseOf: (tool) => this.#handover?.leaseMs ?? this.planOf(tool)?.leaseMs,
      tools: () => toolsOf(server, this.#tools.names()),
      run: (claim, slot, leaseMs) => this.#handover?.start(claim) ?? this.runs.run(claim, slot, leaseMs),
      onError,
    })
    this.creation = new TaskCreation({
      store,
      admission,
      tokens,
      clock,
      worker,
      handoverMs: this.#handover?.leaseMs,
      get,
      ownerOf: (request) => this.access.ownerOf(request),
      isStopping: () => this.runs.isStopping,
      reserve: () => this.#workers.reserve(),
      start: (claim, slot) => void this.#workers.start(claim, slot),
      onCreated: (task) => {
        observed.add(task)
        this.#waiting?.add(task)
      },
      onError,
    })
  }

  /** The time by the clock of the server, in milliseconds since 1970. */
  get now(): number {
    return this.#server.clock.now()
  }

  /** The server starts. What is returned ends with it. */
  start(): { close(): void } {
    const unwatch = this.store.watch({
      changed: (id) => {
        this.watched.changed(id)
        for (const listener of this.#listeners) listener.changed(id)
      },
      work: () => this.#workers.wake(),
      missed: () => {
        this.#workers.wake()
        this.watched.lookAtAll()
        for (const listener of this.#listeners) listener.missed()
      },
    })
    const unregister = this.#server.background.add(this.runs)
    this.watched.open()
    this.runs.goOn()
    return {
      close: () => {
        this.#workers.close()
        this.#waiting?.close()
        this.watched.close()
        unregister()
        unwatch()
      },
    }
  }

  /** Whether a tool is registered that can become a task. */
  get hasTools(): boolean {
    return this.#tools.names().some((name) => this.planOf(name) !== undefined)
  }

  /** How a tool becomes a task; `undefined` for a tool that does not, or is not there. */
  planOf(tool: string): TaskPlan | undefined {
    for (const around of this.#tools.find(tool)?.arounds ?? []) {
      const plan = this.#plans.get(around)
      if (plan !== undefined) return plan
    }
    return undefined
  }

  /** Answers open questions. All other keys are ignored. While the engine is away it is repeated for so long. */
  async answer(task: Task, answers: Readonly<Record<string, unknown>>, patienceMs = 0): Promise<void> {
    const open = Object.entries(answers).filter(([key]) => Object.hasOwn(task.questions, key))
    if (open.length === 0) return
    const texts = Object.fromEntries(open.map(([key, answer]) => [key, JSON.stringify(answer)]))
    await this.#change(() => this.store.answer(task.id, texts), patienceMs)
  }

  /** Cancels at once what nobody runs. A run is asked to stop, and the task is cancelled after `graceMs` whatever it does. */
  async cancel(task: Task, graceMs: number = CANCEL_GRACE_MS): Promise<void> {
    if ((await this.#change(() => this.store.cancel(task.id, graceMs))) !== 'cancelling') return
    const run = this.runs.find(task.id)
    if (run !== undefined) run.cancel()
    else await this.#handover?.cancel(task.id)
  }

  /** The returned function ends it. */
  listen(listener: TaskListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** An engine that is away is reported once a minute, whatever fails for it. */
  report(error: unknown): void {
    if (isEngineAway(error)) {
      const now = this.#server.clock.monotonic()
      if (now - this.#reportedAt < REPORT_MS) return
      this.#reportedAt = now
      this.#server.faults.report({ kind: 'transport', message: 'The store of tasks does not answer.', error })
      return
    }
    this.#server.faults.report({ kind: 'handler-failed', message: 'A task could not be handled', error })
  }

  /** Changes the store for a client. */
  async #change<T>(change: () => Promise<T>, patienceMs = 0): Promise<T> {
    try {
      return await repeatWithin(this.#server.clock, patienceMs, change)
    } catch (error) {
      if (isEngineAway(error)) this.report(error)
      throw toClientError(error)
    }
  }

  get #tools(): TaskTools {
    return this.#given ?? (this.#server.ownSource as RegistrySource).tools
  }
}

function reportTo({ faults }: ServerCore): WaitingTasksOptions['report'] {
  return (message, remedy) => faults.report({ kind: 'configuration-warning', message, remedy })
}

/** A process that only works needs some, whatever those have that only serve. */
function workersOf({ onlyWorks }: ServerCore, { workers }: GivenTasksOptions): number {
  if (onlyWorks === undefined) return workers ?? DEFAULT_WORKERS
  return onlyWorks.workers ?? (workers || DEFAULT_WORKERS)
}

/** A process that only works may leave some tools to others. */
function toolsOf({ onlyWorks }: ServerCore, names: readonly string[]): readonly string[] {
  const only = onlyWorks?.only
  return only === undefined ? names : names.filter((name) => only.includes(name))
}

interface OpenedStore {
  readonly store: TaskStore
  /** The same store, where it is in the memory of this process. */
  readonly memory: MemoryTaskStore | undefined
  /** Whether other servers may go on with what this one gives up. */
  readonly isShared: boolean
}

/** The store of the backend where there is one; else tasks are kept in memory, for this server alone. */
function openStore(
  server: ServerCore,
  options: GivenTasksOptions,
  onListenerError: (error: unknown) => void,
): OpenedStore {
  const given = options[TASK_INTERNALS]?.store
  if (given !== undefined) return { store: given, memory: undefined, isShared: true }
  const ofBackend = server.backend?.tasks
  if (ofBackend !== undefined) {
    const memory = ofBackend instanceof MemoryTaskStore ? ofBackend : undefined
    return { store: ofBackend, memory, isShared: true }
  }
  const now = () => server.clock.now()
  const memory = new MemoryTaskStore({ now, onListenerError })
  return { store: memory, memory, isShared: false }
}
