// The two flows of tasks on the wire, as the runtime asks for them: that of the extension, and that of revision 2025-11-25.
import type { Task } from '../../../backend/task-store.ts'
import type { TaskPlan } from '../../../mcpserver/extensions/task-plan.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { TaskDialect } from '../../../types/extensions/tasks.ts'
import type { CallToolRequestParams } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../../types/protocol/versions.ts'

export interface DialectRules {
  readonly name: TaskDialect
  readonly protocolVersions: readonly ProtocolVersion[]
  /** Whether the client takes a task as the answer to this call. */
  takesTask(request: ServerRequestContext, params: CallToolRequestParams): boolean
  /** Whether the client asked for a task itself, so that the call becomes one in every mode. */
  isAskedFor(params: CallToolRequestParams): boolean
  /** Throws what a client gets that can't take a task for a tool that must be one. */
  refuse(request: ServerRequestContext, params: CallToolRequestParams): never
  /** How long the task is to be kept, where the client has a say in it. */
  ttlMs(plan: TaskPlan, params: CallToolRequestParams): number | null
  /** Called when a call has become this task, before it runs. */
  created?(request: ServerRequestContext, task: Task): void
  /** The result of the call that became this task. */
  toHandle(task: Task, now: number): JSONObject
}
