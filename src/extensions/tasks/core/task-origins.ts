// The sessions that created tasks: progress and changes of status go to them while they last.

import type { Task } from '../../../backend/task-store.ts'
import type { Outbound, Progress } from '../../../dispatcher/dispatcher.ts'
import type { ConnectionCore } from '../../../server/connection.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../../server/context.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type { TaskStatus } from '../../../types/features/tasks.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { ProgressToken } from '../../../types/protocol/jsonrpc.ts'
import type { TaskRuntime } from '../server/runtime.ts'
import { withRelatedTask } from './related-task.ts'
import { toWireTask } from './wire-task.ts'

interface Origin {
  readonly connection: ConnectionCore
  /** Spec, Tasks: good until the task has ended. */
  readonly token: ProgressToken | undefined
  /** Requests of this session that wait for the result, the latest last. */
  readonly waiting: Outbound[]
  progress: number
  status: TaskStatus
  /** Ends the watch on the task. */
  unwatch(): void
}

export class TaskOrigins {
  readonly #runtime: TaskRuntime
  readonly #origins = new Map<string, Origin>()
  readonly #byConnection = new WeakMap<ConnectionCore, Set<string>>()

  constructor(runtime: TaskRuntime) {
    this.#runtime = runtime
  }

  /** Remembers who created a task, until the task or the connection has ended. */
  add(request: ServerRequestContext, { id, status, revision }: Task): void {
    const connection = connectionOfRequest(request)
    const token = request.meta.progressToken
    const unwatch = this.#runtime.watched.add(id, { onTask: (task) => this.#tell(id, task) }, revision)
    this.#origins.set(id, { connection, token, waiting: [], progress: Number.NEGATIVE_INFINITY, status, unwatch })
    const known = this.#byConnection.get(connection)
    if (known !== undefined) {
      known.add(id)
      return
    }
    const ids = new Set([id])
    this.#byConnection.set(connection, ids)
    connection.defer(() => {
      for (const one of ids) this.#forget(one)
    })
  }

  /** A request of the session that created the task waits for its result. The returned function ends that. */
  addWaiting(request: ServerRequestContext, id: string): () => void {
    const origin = this.#origins.get(id)
    if (origin === undefined || origin.connection !== connectionOfRequest(request)) return () => {}
    const { waiting } = origin
    waiting.push(request.dispatch)
    return () => void waiting.splice(waiting.indexOf(request.dispatch), 1)
  }

  progress(id: string, { progress, ...rest }: Progress): void {
    const origin = this.#origins.get(id)
    if (origin?.token === undefined || !Number.isFinite(progress) || progress <= origin.progress) return
    origin.progress = progress
    const params: JSONObject = withRelatedTask({ progressToken: origin.token, progress, ...rest }, id)
    // A client over HTTP may have no stream but that of its request.
    const way = origin.waiting.at(-1) ?? origin.connection.backChannel
    void way.notify('notifications/progress', params)
  }

  #tell(id: string, task: Task | undefined): void {
    const origin = this.#origins.get(id)
    if (origin === undefined) return
    if (task === undefined || isFinal(task)) this.#forget(id)
    if (task === undefined || task.status === origin.status) return
    origin.status = task.status
    const params = toWireTask(task, this.#runtime.now) as unknown as JSONObject
    void origin.connection.backChannel.notify('notifications/tasks/status', params)
  }

  #forget(id: string): void {
    const origin = this.#origins.get(id)
    if (origin === undefined) return
    this.#origins.delete(id)
    this.#byConnection.get(origin.connection)?.delete(id)
    origin.unwatch()
  }
}
