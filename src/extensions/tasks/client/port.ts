// The requests about tasks, in the words of the extension. Each dialect of tasks implements it for a connection.
import type { TaskDialect, TaskRequestOptions, TaskState } from '../../../types/extensions/tasks.ts'
import type { InputResponses } from '../../../types/features/input-required.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'

/** What the driver needs of a connection. A method rejects with whatever the request rejected with. */
export interface TaskPort {
  readonly dialect: TaskDialect
  /** Aborts when the connection has ended for good, so that no request can succeed any more. */
  readonly endSignal: AbortSignal
  get(taskId: string, options?: TaskRequestOptions): Promise<TaskState>
  /** Resolves where the task has ended already. */
  cancel(taskId: string, options?: TaskRequestOptions): Promise<void>
  /** Absent where questions come as requests of the server. */
  update?(taskId: string, responses: InputResponses, options?: TaskRequestOptions): Promise<void>
  /** Fetches results at 2025-11-25, where the state has none. `onFetched` is called when an early request was answered. */
  createResultSource?(taskId: string, onFetched: (result: CallToolResult | undefined) => void): TaskResultSource
  list?(options?: TaskRequestOptions): AsyncIterable<TaskState>
  /** Rejects where the server does not offer it. */
  watch?(taskIds: readonly string[], receiver: TaskWatchReceiver): Promise<TaskWatch>
}

/** Gets the result of a task whose state does not contain it. */
export interface TaskResultSource {
  /** Asks for the result before the end: the server may send its questions only meanwhile. */
  fetchEarly(signal: AbortSignal): void
  /** The final state with its result or error. Rejects where the request failed on its way. */
  complete(state: TaskState, signal: AbortSignal): Promise<TaskState>
}

export interface TaskWatchReceiver {
  changed(state: TaskState): void
  /** The task may have changed. */
  missed(taskId: string): void
  /** The subscription is over, whoever ended it. Called once. */
  ended(): void
}

/** An open subscription to changes of tasks. */
export interface TaskWatch {
  /** The tasks whose changes the server reports. */
  readonly granted: ReadonlySet<string>
  close(): void
}
