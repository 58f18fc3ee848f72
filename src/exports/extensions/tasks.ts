// mcpwire/extensions/tasks: calls that take long become tasks.
export type { Claim, Task, TaskExecutor } from '../../backend/task-store.ts'
export type { ClientTasks } from '../../client/extensions/client-tasks.ts'
export type { TaskLimits, TasksOptions } from '../../extensions/tasks/options/tasks-options.ts'
export { runTask } from '../../extensions/tasks/run-task.ts'
export { tasks } from '../../extensions/tasks/tasks.ts'
export type { TaskMode, TaskOptions } from '../../mcpserver/extensions/task-options.ts'
export type { TaskContext } from '../../server/task-run.ts'
export { TaskCancelledError, TaskGoneError, TaskPendingError } from '../../types/extensions/task-errors.ts'
export type {
  Job,
  JobState,
  JobWaitOptions,
  TaskDialect,
  TaskHandle,
  TaskReference,
  TaskReferences,
  TaskRequestOptions,
  TaskStartOptions,
  TaskState,
  TasksClientOptions,
} from '../../types/extensions/tasks.ts'
