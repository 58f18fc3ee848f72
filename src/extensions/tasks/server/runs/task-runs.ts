// The runs of a process: each keeps the server open and its lease renewed until it has ended, or the server stops.
import type { MemoryTaskStore } from '../../../../backend/memory-task-store.ts'
import type { Claim } from '../../../../backend/task-store.ts'
import type { TaskPlan } from '../../../../mcpserver/extensions/task-plan.ts'
import { settlesWithin } from '../../../../primitives/async/timer.ts'
import type { ServerCore } from '../../../../server/core.ts'
import type { BackgroundWork } from '../../../../server/lifespan/background.ts'
import type { Lease } from '../../../../server/lifespan/lifespan.ts'
import { serveRun } from '../../../../server/task-run.ts'
import { readInput } from '../values/input.ts'
import type { KeptTokens } from '../values/kept-token.ts'
import { ClaimedRun, type RunSetting } from './claimed-run.ts'
import { Leases } from './leases.ts'
import type { LingeringRuns } from './lingering.ts'
import { type RunEnd, STOPPED } from './run-end.ts'
import type { WorkerSlot } from './worker-slots.ts'
import type { Workers } from './workers.ts'

const CALL_TOOL = 'tools/call'

/** How long the outcome of a run that was stopped may take to be written. */
const STOP_MS = 1_000

export interface TaskRunsOptions {
  readonly setting: RunSetting
  readonly tokens: KeptTokens
  readonly lingering: LingeringRuns
  /** The store, where its tasks end with this process. */
  readonly memory: MemoryTaskStore | undefined
  /** Whether other servers may go on with what this one gives up. */
  readonly isShared: boolean
  workers(): Workers
  planOf(tool: string): TaskPlan | undefined
  onError(error: unknown): void
}

export class TaskRuns implements BackgroundWork {
  readonly #options: TaskRunsOptions
  readonly #server: ServerCore
  readonly #leases: Leases
  readonly #runs = new Map<string, ClaimedRun>()
  readonly #onIdle: (() => void)[] = []
  #serverLease: Promise<Lease> | undefined
  #heldLeases = 0
  #isStopping = false

  constructor(options: TaskRunsOptions) {
    this.#options = options
    this.#server = options.setting.server
    this.#leases = new Leases(() => this.#server.clock)
    this.#server.figures.add('runs', () => this.#runs.size)
    this.#server.figures.add('openTasks', () => options.setting.store.countOpen())
  }

  get heldLeases(): number {
    return this.#heldLeases
  }

  /** Whether no new task is taken. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  find(id: string): ClaimedRun | undefined {
    return this.#runs.get(id)
  }

  /** One run of a task, to its end; with the slot of a worker, until its handler has ended. Never rejects. */
  async run(claim: Claim, slot?: WorkerSlot, leaseMs?: number): Promise<RunEnd> {
    const { setting, tokens, onError } = this.#options
    const plan = this.#options.planOf(claim.kind)
    if (plan === undefined) {
      onError(new Error(`The tool of a task is not registered in this process: ${JSON.stringify(claim.kind)}`))
      await setting.store.release(claim).catch(onError)
      return 'released'
    }
    const run = new ClaimedRun(setting, claim, plan, leaseMs, slot)
    const end = await this.follow(run, async () => {
      const { facts, params, sealed } = readInput(claim.kind, claim.input)
      const opened = tokens.open(claim.id, sealed)
      const headers = opened instanceof Promise ? await opened : opened
      return serveRun(this.#server, run, { ...facts, headers }, CALL_TOOL, { ...params, ...run.journal.roundParams })
    })
    if (slot !== undefined) await run.handler.whenOver()
    return end
  }

  /** Runs a claim that came back from a job system. The task may have been lost or run meanwhile. */
  async runHandedOver(claim: Claim): Promise<void> {
    const plan = this.#options.planOf(claim.kind)
    const { store } = this.#options.setting
    if (plan !== undefined && (await store.renew(claim, plan.leaseMs)) === 'lost') return
    if (!this.#runs.has(claim.id)) await this.run(claim)
  }

  /** A run for a call that has begun in a request and goes on as a task. Give it to `follow`. */
  adopt(claim: Claim, plan: TaskPlan): ClaimedRun {
    return new ClaimedRun(this.#options.setting, claim, plan)
  }

  /** Keeps the lease of a run, and the server open, until its work has ended. Never rejects. */
  async follow(run: ClaimedRun, work: Parameters<ClaimedRun['follow']>[0]): Promise<RunEnd> {
    const { setting, lingering, onError } = this.#options
    const { id } = run.claim
    this.#runs.get(id)?.lose()
    this.#runs.set(id, run)
    this.#leases.add(run)
    const unwatch = setting.watched.add(id, run)
    this.#keepServer()
    try {
      await this.#serverLease
      return await run.follow(work)
    } catch (error) {
      onError(error)
      return 'lost'
    } finally {
      unwatch()
      this.#leases.delete(run)
      if (this.#runs.get(id) === run) this.#runs.delete(id)
      const over = run.handler.whenOver()
      if (over !== undefined) lingering.add(id, over).catch(onError)
      if (this.#runs.size === 0) {
        for (const resolve of this.#onIdle.splice(0)) resolve()
        await this.#leaveServer()
      }
    }
  }

  /** Takes no new tasks, lets runs end by themselves for a while, and then stops them. */
  async close({ drainMs, endsWithProcess }: { drainMs: number; endsWithProcess: boolean }): Promise<void> {
    this.#isStopping = true
    const { memory, isShared } = this.#options
    this.#options.workers().close()
    if (endsWithProcess) memory?.failWaiting(STOPPED)
    if (drainMs > 0) await settlesWithin(this.#idle(), drainMs)
    const mayBeReleased = isShared && (memory === undefined || !endsWithProcess)
    for (const run of this.#runs.values()) run.stop(mayBeReleased && run.plan.attempts > 1)
    await settlesWithin(this.#idle(), STOP_MS)
  }

  /** The server starts, or goes on after all. */
  goOn(): void {
    this.#isStopping = false
    this.#options.workers().open()
  }

  #keepServer(): void {
    if (this.#serverLease !== undefined) return
    this.#heldLeases += 1
    this.#serverLease = this.#server.start()
  }

  async #leaveServer(): Promise<void> {
    const lease = this.#serverLease
    this.#serverLease = undefined
    try {
      const acquired = await lease?.catch(() => undefined)
      const released = acquired?.release()
      this.#heldLeases -= 1
      await released
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Resolves when nothing runs. */
  #idle(): Promise<void> {
    return this.#runs.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve))
  }
}
