// `tasks/result`: waits for the end of a task, and brings its questions to the client meanwhile.

import type { Task } from '../../../backend/task-store.ts'
import { forgetAbort, listenForAbort } from '../../../primitives/async/abort.ts'
import { createDeferred } from '../../../primitives/async/promises.ts'
import { unref } from '../../../primitives/async/timer.ts'
import { connectionOfRequest, type ServerRequestContext, serverOfRequest } from '../../../server/context.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type { TaskRuntime } from '../server/runtime.ts'
import { QuestionsUnderWay, TaskQuestions } from './task-questions.ts'

/** How often a waiting request looks at its task without a hint: hints get lost. */
const LOOK_MS = 2_000

/** Requests of one client that wait at once. They take places that its other requests need. */
const MAX_WAITING = 100

export class ResultWaiters {
  readonly #runtime: TaskRuntime
  /** What wakes the requests that wait, by task. */
  readonly #wakers = new Map<string, Set<() => void>>()
  readonly #waiting = new WeakMap<object, number>()
  readonly #underWay = new QuestionsUnderWay((taskId) => this.changed(taskId))

  constructor(runtime: TaskRuntime) {
    this.#runtime = runtime
  }

  /** The task may have changed, or one of its questions may be free. */
  changed(taskId: string): void {
    for (const wake of this.#wakers.get(taskId) ?? []) wake()
  }

  /** Any task may have changed. */
  missed(): void {
    for (const taskId of [...this.#wakers.keys()]) this.changed(taskId)
  }

  /** The task when it has ended. Rejects as a look-up does, and when the request is given up. */
  async wait(ctx: ServerRequestContext, taskId: string): Promise<Task> {
    const first = await this.#runtime.access.lookUp(ctx, taskId, 'core')
    if (isFinal(first)) return first
    const leave = this.#enter(ctx)
    const questions = new TaskQuestions(this.#runtime, this.#underWay, ctx, (error) => report(ctx, error))
    const changes = new Changes(ctx)
    const forget = this.#addWaker(taskId, changes.wake)
    try {
      for (;;) {
        // Looked at anew, since a change may have come before anything listened.
        const task = await this.#runtime.access.lookUp(ctx, taskId, 'core')
        if (isFinal(task)) return task
        questions.ask(task)
        await changes.next()
      }
    } finally {
      forget()
      changes.stop()
      questions.stop()
      leave()
    }
  }

  #enter(ctx: ServerRequestContext): () => void {
    const { peer } = connectionOfRequest(ctx)
    const count = this.#waiting.get(peer) ?? 0
    if (count >= MAX_WAITING) throw tooManyWaiting()
    this.#waiting.set(peer, count + 1)
    return () => void this.#waiting.set(peer, (this.#waiting.get(peer) ?? 1) - 1)
  }

  #addWaker(taskId: string, wake: () => void): () => void {
    const wakers = this.#wakers.get(taskId) ?? new Set()
    this.#wakers.set(taskId, wakers.add(wake))
    return () => {
      wakers.delete(wake)
      if (wakers.size === 0 && this.#wakers.get(taskId) === wakers) this.#wakers.delete(taskId)
    }
  }
}

/** The changes of a task, for one request that waits. None that comes between two waits is missed. */
class Changes {
  readonly #ctx: ServerRequestContext
  #hasChanged = false
  #onChange: (() => void) | undefined

  constructor(ctx: ServerRequestContext) {
    this.#ctx = ctx
    listenForAbort(ctx.signal, this.wake)
  }

  readonly wake = (): void => {
    this.#hasChanged = true
    this.#onChange?.()
  }

  /** Rejects when the request is given up. */
  async next(): Promise<void> {
    const { clock } = serverOfRequest(this.#ctx)
    if (!this.#hasChanged && !this.#ctx.signal.aborted) {
      const changed = createDeferred()
      this.#onChange = changed.resolve
      const timer = clock.setTimer(changed.resolve, LOOK_MS)
      unref(timer)
      await changed.promise
      clock.clearTimer(timer)
      this.#onChange = undefined
    }
    this.#hasChanged = false
    this.#ctx.signal.throwIfAborted()
  }

  stop(): void {
    forgetAbort(this.#ctx.signal, this.wake)
  }
}

function report(ctx: ServerRequestContext, error: unknown): void {
  const message = 'The answer to a question of a task could not be kept'
  serverOfRequest(ctx).faults.report({ kind: 'handler-failed', message, method: ctx.method, error })
}

function tooManyWaiting(): MCPError {
  const message = `Too many tasks/result requests of this client wait (${MAX_WAITING}). Ask with tasks/get until a task has ended.`
  return new MCPError(ErrorCode.InternalError, message, { limit: 'tasks/result', max: MAX_WAITING })
}
