// Tasks in the flow of revision 2025-11-25, over the same runtime as those of the extension. Loaded when a server starts.

import type { Task } from '../../../backend/task-store.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import { methodNotFound } from '../../../server/results/method-not-found.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type {
  CancelTaskResult,
  GetTaskPayloadResult,
  GetTaskResult,
  ListTasksResult,
} from '../../../types/features/tasks.ts'
import type { ServerCapabilities } from '../../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { DialectRules } from '../server/dialect.ts'
import type { TaskListener, TaskRuntime } from '../server/runtime.ts'
import { errorOf } from '../server/values/wire.ts'
import { coreDialect } from './dialect.ts'
import { listTasks } from './list-tasks.ts'
import { withRelatedTask } from './related-task.ts'
import { ResultWaiters } from './result-waiters.ts'
import { TaskOrigins } from './task-origins.ts'
import { toWireTask } from './wire-task.ts'

export class CoreTasks implements TaskListener {
  readonly dialect: DialectRules
  readonly #runtime: TaskRuntime
  readonly #origins: TaskOrigins
  readonly #waiters: ResultWaiters

  constructor(runtime: TaskRuntime) {
    const origins = new TaskOrigins(runtime)
    this.#runtime = runtime
    this.#origins = origins
    this.#waiters = new ResultWaiters(runtime)
    this.dialect = { ...coreDialect, created: (request, task) => origins.add(request, task) }
  }

  changed(id: string): void {
    this.#waiters.changed(id)
  }

  missed(): void {
    this.#waiters.missed()
  }

  progress(...[id, progress]: Parameters<TaskListener['progress']>): void {
    this.#origins.progress(id, progress)
  }

  /** Spec, Tasks: who can't be told apart from others must not list. */
  capabilities(ctx: ServerRequestContext): ServerCapabilities {
    const list = this.#runtime.access.isKnown(ctx) ? { list: {} } : {}
    return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } }
  }

  async get(ctx: ServerRequestContext, { taskId }: { taskId: string }): Promise<GetTaskResult> {
    return toWireTask(await this.#runtime.access.lookUp(ctx, taskId, 'core'), this.#runtime.now)
  }

  /** Exactly the result or the error of the call. */
  async result(ctx: ServerRequestContext, { taskId }: { taskId: string }): Promise<GetTaskPayloadResult> {
    const leave = this.#origins.addWaiting(ctx, taskId)
    try {
      return withRelatedTask(outcomeOf(await this.#waiters.wait(ctx, taskId)), taskId)
    } finally {
      leave()
    }
  }

  async list(ctx: ServerRequestContext, { cursor }: { cursor?: string }): Promise<ListTasksResult> {
    if (!this.#runtime.access.isKnown(ctx)) throw methodNotFound('tasks/list')
    return listTasks(this.#runtime, ctx, cursor)
  }

  /** The task is cancelled for good when this resolves, whatever its handler does. */
  async cancel(ctx: ServerRequestContext, { taskId }: { taskId: string }): Promise<CancelTaskResult> {
    const before = await this.#runtime.access.lookUp(ctx, taskId, 'core', true)
    if (isFinal(before)) throw hasEnded(before)
    await this.#runtime.cancel(before, 0)
    const after = await this.#runtime.access.lookUp(ctx, taskId, 'core', true)
    // The task ended before it could be cancelled.
    if (after.status !== 'cancelled') throw hasEnded(after)
    return toWireTask(after, this.#runtime.now)
  }
}

/** Throws the error of a task that has one. A tool that failed has a result all the same. */
function outcomeOf(task: Task): JSONObject {
  const { id, status, outcome } = task
  if (status === 'cancelled')
    throw new MCPError(ErrorCode.InvalidRequest, 'The task was cancelled and has no result.', { taskId: id })
  const parsed: unknown = outcome === undefined || outcome === '' ? undefined : JSON.parse(outcome)
  if (isPlainObject(parsed) && Array.isArray(parsed['content'])) return parsed
  const { code, message, data } = errorOf(task)
  throw new MCPError(code, message, data)
}

function hasEnded({ status }: Task): MCPError {
  return new MCPError(ErrorCode.InvalidParams, `The task can't be cancelled: it has the status '${status}' already.`)
}
