// Tasks as the author of a client uses them.
import type {
  Job,
  TaskReference,
  TaskRequestOptions,
  TaskStartOptions,
  TaskState,
} from '../../types/extensions/tasks.ts'
import type { InputResponses } from '../../types/features/input-required.ts'
import type { CallParameters, KnownTool, ToolName, ToolResult } from '../session/tool-types.ts'

/** What `client.tasks` is. */
export interface ClientTasks<Server = unknown> {
  /**
   * Calls a tool and returns as soon as the server has answered, with the result or with a task. Typed by the type of the server, as
   * `callTool` is.
   */
  start<const Name extends ToolName<Server>, Tool = KnownTool<Server, Name>>(
    name: Name,
    ...rest: CallParameters<Tool, TaskStartOptions>
  ): Promise<Job<ToolResult<Tool>>>
  /**
   * Continues with a task of an earlier call, on this connection. With the name of its tool the job is typed, as that of `start` is.
   * Throws `TypeError` for a reference of another server or of another tool.
   */
  resume(reference: TaskReference): Job
  resume<const Name extends ToolName<Server>, Tool = KnownTool<Server, Name>>(
    reference: TaskReference,
    tool: Name,
  ): Job<ToolResult<Tool>>
  /** Sends `tasks/get`. */
  get(taskId: string, options?: TaskRequestOptions): Promise<TaskState>
  /** Sends answers to open questions of a task. At revision 2025-11-25 questions are requests, and this rejects with -32601. */
  update(taskId: string, responses: InputResponses, options?: TaskRequestOptions): Promise<void>
  /** Sends `tasks/cancel`. */
  cancel(taskId: string, options?: TaskRequestOptions): Promise<void>
  /** The tasks that the server keeps. Revision 2025-11-25 only, where the server offers it; rejects with -32601 elsewhere. */
  list(options?: TaskRequestOptions): AsyncIterable<TaskState>
  /** The references of tasks of this server that had not ended when this client, or an earlier one, last looked. */
  pending(): Promise<TaskReference[]>
}
