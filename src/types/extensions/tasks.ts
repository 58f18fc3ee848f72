// Tasks as clients see them: calls that go on after their request was answered. The words are those of the extension.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { InputRequests } from '../features/input-required.ts'
import type { TaskStatus } from '../features/tasks.ts'
import type { CallToolResult } from '../features/tools.ts'
import type { JSONObject } from '../protocol/json.ts'
import type { ErrorData } from '../protocol/jsonrpc.ts'

/** The identifier of the extension. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** The flow of a task: of revision 2025-11-25 (`core`), or of the extension. */
export type TaskDialect = 'core' | 'extension'

/** The state of a call that may be a task. Members that this package does not know are kept. */
export interface JobState extends JSONObject {
  /** A status that the specification does not define counts as not final. */
  status: TaskStatus | (string & Record<never, never>)
  /** For people. */
  statusMessage?: string
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601. */
  lastUpdatedAt: string
  /** How long the task is kept, in milliseconds from its creation; `null` for no limit. */
  ttlMs: number | null
  /** How many milliseconds to wait between two requests for the state. */
  pollIntervalMs?: number
  /** The open questions, with the status `input_required`. */
  inputRequests?: InputRequests
  /** With the status `completed`. */
  result?: CallToolResult
  /** With the status `failed`. */
  error?: ErrorData
}

/** The state of a task, as `tasks/get` and `notifications/tasks` give it. */
export interface TaskState extends JobState {
  /** The id of the task. */
  taskId: string
}

/** The result of a call that became a task: its state, without questions and result. */
export interface TaskHandle extends TaskState {
  /** Marks a result that is a task. */
  resultType: 'task'
}

/** Finds a task again, from another process too. Plain JSON. */
export interface TaskReference {
  /** The server, as clients name it: its URL without query and user, or the name that it gives itself. */
  server: string
  /** The id of the task. */
  taskId: string
  /** The name of the tool that was called. */
  tool: string
  /** ISO 8601. */
  createdAt: string
  /** How long the server keeps the task, in milliseconds. `null` for no limit. */
  ttlMs: number | null
  /** The protocol of the task: the extension or revision 2025-11-25. */
  dialect: TaskDialect
}

/** Keeps references of tasks, so that a client can find its tasks again. */
export interface TaskReferences {
  /** Resolves when the reference is kept. Replaces one of the same server and task. */
  add(reference: TaskReference): MaybePromise<void>
  /** Removes a reference, because the task has ended. */
  remove(reference: TaskReference): MaybePromise<void>
  /** Those of all servers. */
  list(): MaybePromise<readonly TaskReference[]>
}

/** Options of waiting for a job. */
export interface JobWaitOptions {
  /** Stops the wait, which rejects with the reason of the signal. The task goes on. */
  signal?: AbortSignal | undefined
  /**
   * Time without a sign of life of the server in milliseconds. By default as long as the server keeps the task, and a minute; a server
   * that can't be reached ends the wait after a minute, with `TaskPendingError`.
   */
  timeoutMs?: number | undefined
  /** Time for everything in milliseconds (default: none). */
  maxTotalMs?: number | undefined
  /** Called with every change of the state, once each. */
  onStatus?: ((state: TaskState) => void) | undefined
}

/**
 * A call that was started. Iterating over it gives each state once, the final one last. Leaving the loop cancels nothing, and
 * several loops can run at once.
 */
export interface Job<Result extends CallToolResult = CallToolResult> extends AsyncIterable<JobState> {
  /** `undefined` where the server returned the result at once. */
  readonly taskId: string | undefined
  /** To keep, and to give to `client.tasks.resume()` later. `undefined` where the server returned the result at once. */
  readonly reference: TaskReference | undefined
  /** The newest state that this client knows. The client asks for it only while something waits for the job. */
  readonly state: JobState
  /**
   * Waits for the end, and answers questions of the server meanwhile. Rejects with the error of the server where the call failed,
   * with `TaskCancelledError` and with `TaskGoneError`.
   */
  result(options?: JobWaitOptions): Promise<Result>
  /** Asks the server to cancel the task. The task may still complete. */
  cancel(options?: TaskRequestOptions): Promise<void>
}

/** Options of a request about a task. */
export interface TaskRequestOptions {
  /** Cancels the request, not the task. */
  signal?: AbortSignal | undefined
  /** Maximum time for the request, in milliseconds (default: that of the client). */
  timeoutMs?: number | undefined
}

/** Options of `client.tasks.start()`. They end with the answer of the server; `result()` of the job takes its own. */
export interface TaskStartOptions extends TaskRequestOptions {
  /** Maximum time for the whole task, in milliseconds (default: none). */
  maxTotalMs?: number | undefined
  /** The `_meta` of the call, for your own values. */
  meta?: JSONObject | undefined
}

/** The options of `tasks()` that a client reads. */
export interface TasksClientOptions {
  /** Where references of tasks are kept (default: in memory). */
  references?: TaskReferences | undefined
  /**
   * Whether the client subscribes to changes of its tasks instead of polling at the interval of the server (default: `auto`, from the
   * third poll of a task on). Where the server does not offer it, the client polls.
   */
  watch?: 'auto' | boolean | undefined
}
