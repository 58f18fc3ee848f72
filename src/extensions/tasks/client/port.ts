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
  /**
   * Where the state has no result (2025-11-25): waits for the end of the task and resolves to its result, or rejects with its error.
   * The driver calls it when the task has ended, and earlier when it asks for input, since questions may come only meanwhile. It
   * sends no `timeoutMs`: the request is meant to stay open, until its signal aborts.
   */
  result?(taskId: string, options?: TaskRequestOptions): Promise<CallToolResult>
  list?(options?: TaskRequestOptions): AsyncIterable<TaskState>
  /** Rejects where the server does not offer it. */
  watch?(taskIds: readonly string[], receiver: TaskWatchReceiver): Promise<TaskWatch>
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
