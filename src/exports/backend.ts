// mcpwire/backend: what the nodes of one server share.
export type { Backend, BackendHealth, BackendUse } from '../backend/backend.ts'
export {
  BackendError,
  type BackendErrorOptions,
  type BackendFailure,
  type ReachedLimit,
} from '../backend/backend-error.ts'
export { type CombinedParts, combine } from '../backend/combine.ts'
export type { HoldOptions, Limits, TakeOptions } from '../backend/limits.ts'
export type { AppendOptions, LogEntry, LogPage, Logs, PostOptions, ReadOptions } from '../backend/logs.ts'
export { type MemoryBackendOptions, memory } from '../backend/memory/memory.ts'
export { type BackendOperation, observed } from '../backend/observed.ts'
export { registerBackend } from '../backend/parts.ts'
export type { Kept, PutOptions, Records } from '../backend/records.ts'
export { type SealedOptions, sealed } from '../backend/sealed/sealed.ts'
export type {
  Claim,
  CreateTaskOptions,
  Journal,
  NewTask,
  Task,
  TaskExecutor,
  TaskListener,
  TaskOutcome,
  TaskPage,
  TaskStatus,
  TaskStore,
  TaskStoreLimits,
} from '../backend/task-store.ts'
export type { TopicListener, TopicSubscription, Topics } from '../backend/topics.ts'
export { type Change, update } from '../backend/update.ts'
export type { Secret } from '../primitives/sealing/secrets.ts'
