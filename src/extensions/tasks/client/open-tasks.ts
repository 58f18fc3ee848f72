// What `client.tasks` is.

import { UNFINISHED } from '../../../client/calls/driven-calls.ts'
import { type Client, targetOf } from '../../../client/client.ts'
import type { ClientTasks } from '../../../client/extensions/client-tasks.ts'
import type { ClaimContext } from '../../../client/extensions/extension.ts'
import type { ClientSession } from '../../../client/session/session.ts'
import { type Clock, systemClock } from '../../../primitives/async/clock.ts'
import { typeError } from '../../../primitives/help.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { TaskPendingError } from '../../../types/extensions/task-errors.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type {
  Job,
  TaskHandle,
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
import { LATEST_MODERN_VERSION } from '../../../types/protocol/versions.ts'
import { CORE_TASKS_VERSION } from '../../../wire/revision-facts.ts'
import { finishedJob } from './job.ts'
import type { TaskPort } from './port.ts'
import { checkReference, MemoryTaskReferences } from './references.ts'
import { readTaskState } from './task-state.ts'
import { TaskTracker } from './task-tracker.ts'

export interface OpenTasksOptions extends TasksClientOptions {
  /** The requests in the dialect of the connection; `undefined` where its revision has no tasks. */
  readonly port: TaskPort | undefined
  readonly clock?: Clock
}

/** `start` and `resume` have no types here: what the client is of decides them. */
export class OpenTasks implements Omit<ClientTasks, 'start' | 'resume'> {
  readonly #client: Client
  readonly #clock: Clock
  readonly #references: TaskReferences
  readonly #server: string
  readonly #port: TaskPort | undefined
  readonly #tracker: TaskTracker | undefined

  constructor(client: Client, session: ClientSession, options: OpenTasksOptions) {
    const { port, watch, clock = systemClock, references = new MemoryTaskReferences() } = options
    const server = serverNameOf(client, session)
    this.#client = client
    this.#clock = clock
    this.#references = references
    this.#server = server
    this.#port = port
    this.#tracker = port && new TaskTracker({ session, port, server, watch, references, clock })
  }

  async start(name: string, args?: object, options: TaskStartOptions = {}): Promise<Job> {
    if (this.#mayAdoptAtOnce(options)) return this.#startAtOnce(name, args as JSONObject | undefined, options)
    const call = { ...options, task: true, leaveAfterMs: 0 }
    try {
      return this.#finishedJob(await this.#client.callTool(name, args as JSONObject | undefined, call))
    } catch (error) {
      if (error instanceof TaskPendingError) return error.job
      throw error
    }
  }

  /** Whether nothing can come between the answer to a call and the job: no limit of the call, and no slow store of references. */
  #mayAdoptAtOnce({ signal, maxTotalMs }: TaskStartOptions): boolean {
    const isInMemory = this.#references instanceof MemoryTaskReferences
    return isInMemory && this.#port?.dialect === 'extension' && signal === undefined && maxTotalMs === undefined
  }

  /** Makes a call and stops waiting for it at once, without the error that such a call ends with. */
  async #startAtOnce(name: string, args: JSONObject | undefined, options: TaskStartOptions): Promise<Job> {
    const call = { ...options, [UNFINISHED]: 'task' }
    const result = (await this.#client.callTool(name, args, call)) as CallToolResult | TaskHandle
    if (result.resultType !== 'task') return this.#finishedJob(result)
    return available(this.#tracker).adopt(readTaskState(result), name)
  }

  #finishedJob(result: unknown): Job {
    return finishedJob(result as CallToolResult, new Date(this.#clock.now()).toISOString())
  }

  resume(reference: TaskReference, tool?: string): Job {
    const tracker = available(this.#tracker)
    checkReference(reference, this.#server, tool)
    if (reference.dialect !== this.#port?.dialect) {
      const revision = reference.dialect === 'core' ? CORE_TASKS_VERSION : LATEST_MODERN_VERSION
      throw typeError(
        'wrong-argument',
        `The task is of revision ${revision}. Connect with mode: '${revision}' to resume it.`,
      )
    }
    return tracker.createJob({ ...reference })
  }

  async get(taskId: string, options?: TaskRequestOptions): Promise<TaskState> {
    const port = available(this.#port)
    const state = await port.get(checkId(taskId), options)
    // At revision 2025-11-25 the result is still to be fetched.
    if (port.dialect === 'extension' && isFinal(state)) await this.#tracker?.sawEnd(taskId)
    return state
  }

  async update(taskId: string, responses: InputResponses, options?: TaskRequestOptions): Promise<void> {
    const port = available(this.#port)
    if (port.update === undefined) throw notOffered('tasks/update', 'Questions come as requests of the server.')
    await port.update(checkId(taskId), responses, options)
  }

  async cancel(taskId: string, options?: TaskRequestOptions): Promise<void> {
    await available(this.#port).cancel(checkId(taskId), options)
  }

  async *list(options?: TaskRequestOptions): AsyncGenerator<TaskState, void> {
    const port = available(this.#port)
    if (port.list === undefined)
      throw notOffered('tasks/list', 'client.tasks.pending() lists the tasks of this client.')
    yield* port.list(options)
  }

  async pending(): Promise<TaskReference[]> {
    const references = await this.#references.list()
    const dialect = this.#port?.dialect
    return references.filter((reference) => reference.server === this.#server && reference.dialect === dialect)
  }

  /** Finishes a call whose result is a task, in the form of the extension. */
  async finishCall(handle: JSONObject, { toolName, options }: ClaimContext): Promise<CallToolResult> {
    return available(this.#tracker).finishCall(readTaskState(handle), toolName, options)
  }

  /** Ends all waiting. References stay. */
  close(): void {
    this.#tracker?.close(new Error('The client was closed.'))
  }
}

/** The URL without query and user, which may be secrets; for other targets the name that the server gives itself. */
function serverNameOf(client: Client, { serverInfo }: ClientSession): string {
  const target = targetOf(client)
  return /^https?:/.test(target) ? target : (serverInfo?.name ?? target)
}

function checkId(taskId: string): string {
  if (typeof taskId === 'string' && taskId !== '') return taskId
  throw typeError('wrong-argument', 'The id of a task must be a string that is not empty.')
}

function available<T>(part: T | undefined): T {
  if (part === undefined) throw notOffered('tasks', 'They need a server of revision 2025-11-25 or later.')
  return part
}

function notOffered(method: string, instead: string): MCPError {
  const message = `This connection has no ${method}. ${instead}`
  return new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
}
