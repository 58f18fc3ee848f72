// mcpwire/extensions/tasks: calls that take long become tasks.
export { tasks } from '../../extensions/tasks/tasks.ts'
export type {
  ClientTasks,
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
