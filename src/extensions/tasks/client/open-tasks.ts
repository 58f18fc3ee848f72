// What `client.tasks` is. The connection is looked at on first use: it is not ready while the client opens.
import { type Client, targetOf } from '../../../client/client.ts'
import type { ClaimContext } from '../../../client/extensions/extension.ts'
import { type Clock, systemClock } from '../../../primitives/async/clock.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { TaskPendingError } from '../../../types/extensions/task-errors.ts'
import type {
  ClientTasks,
  Job,
  TaskReference,
  TaskReferences,
  TaskRequestOptions,
  TaskStartOptions,
  TaskState,
  TasksClientOptions,
} from '../../../types/extensions/tasks.ts'
import type { InputResponses } from '../../../types/features/input-required.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { FinishedJob } from './job.ts'
import type { TaskPort } from './port.ts'
import { checkReference, MemoryTaskReferences } from './references.ts'
import { readTaskState } from './task-state.ts'
import { TaskTracker } from './task-tracker.ts'

export interface OpenTasksOptions extends TasksClientOptions {
  /** The requests in the dialect of the connection. */
  readonly createPort: (client: Client) => TaskPort
  readonly clock?: Clock
}

interface Connected {
  readonly port: TaskPort
  readonly server: string
  readonly tracker: TaskTracker
}

export class OpenTasks implements ClientTasks {
  readonly #client: Client
  readonly #options: OpenTasksOptions
  readonly #clock: Clock
  readonly #references: TaskReferences
  #connection: Connected | undefined

  constructor(client: Client, options: OpenTasksOptions) {
    this.#client = client
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#references = options.references ?? new MemoryTaskReferences()
  }

  async start(name: string, args?: object, options: TaskStartOptions = {}): Promise<Job> {
    const call = { ...options, task: true, leaveAfterMs: 0 }
    try {
      const result = await this.#client.callTool(name, args as JSONObject | undefined, call)
      return new FinishedJob(result as CallToolResult, new Date(this.#clock.now()).toISOString())
    } catch (error) {
      if (error instanceof TaskPendingError) return error.job
      throw error
    }
  }

  resume(reference: TaskReference): Job {
    const { server, port, tracker } = this.#connected
    checkReference(reference, server)
    if (reference.dialect !== port.dialect) {
      const revision = reference.dialect === 'core' ? '2025-11-25' : '2026-07-28'
      throw new TypeError(
        `The task was created at revision ${revision}, and this client uses another one. Connect with mode: '${revision}'.`,
      )
    }
    return tracker.createJob({ ...reference })
  }

  async get(taskId: string, options?: TaskRequestOptions): Promise<TaskState> {
    return this.#connected.port.get(checkId(taskId), options)
  }

  async update(taskId: string, responses: InputResponses, options?: TaskRequestOptions): Promise<void> {
    const { port } = this.#connected
    if (port.update === undefined) throw notOffered('tasks/update', 'Questions come as requests of the server.')
    await port.update(checkId(taskId), responses, options)
  }

  async cancel(taskId: string, options?: TaskRequestOptions): Promise<void> {
    await this.#connected.port.cancel(checkId(taskId), options)
  }

  async *list(options?: TaskRequestOptions): AsyncGenerator<TaskState, void> {
    const { port } = this.#connected
    if (port.list === undefined)
      throw notOffered('tasks/list', 'client.tasks.pending() lists the tasks of this client.')
    yield* port.list(options)
  }

  async pending(): Promise<TaskReference[]> {
    const { server } = this.#connected
    const references = await this.#references.list()
    return references.filter((reference) => reference.server === server)
  }

  /** Finishes a call whose result is a task, in the form of the extension. */
  async finishCall(handle: JSONObject, { toolName, options }: ClaimContext): Promise<CallToolResult> {
    return this.#connected.tracker.finishCall(readTaskState(handle), toolName, options)
  }

  /** Ends all waiting. References stay. */
  close(): void {
    this.#connection?.tracker.close(new Error('The client was closed while it waited for a task.'))
  }

  get #connected(): Connected {
    if (this.#connection !== undefined) return this.#connection
    const { session } = this.#client
    const { createPort, watch } = this.#options
    const port = createPort(this.#client)
    const server = serverNameOf(this.#client)
    const tracker = new TaskTracker({ session, port, server, watch, references: this.#references, clock: this.#clock })
    this.#connection = { port, server, tracker }
    return this.#connection
  }
}

/** The URL without query and user, which may be secrets; for other targets the name that the server gives itself. */
function serverNameOf(client: Client): string {
  const target = targetOf(client)
  return /^https?:/.test(target) ? target : (client.serverInfo?.name ?? target)
}

function checkId(taskId: string): string {
  if (typeof taskId === 'string' && taskId !== '') return taskId
  throw new TypeError('The id of a task must be a string that is not empty. A job has it as taskId.')
}

function notOffered(method: string, instead: string): MCPError {
  const message = `This connection has no ${method}. ${instead}`
  return new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
}
