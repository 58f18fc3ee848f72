// Tasks as revision 2025-11-25 has them, in either direction. The later extension of that name is another thing.
import type { NotificationParams, PaginatedRequestParams, PlainResult, RequestParams } from '../protocol/base.ts'
import type { JSONObject } from '../protocol/json.ts'

/** The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A task of revision 2025-11-25: a request whose result comes later. */
export type Task = {
  /** Names the task in later requests. */
  taskId: string
  /** How far the task is. */
  status: TaskStatus
  /** For people. */
  statusMessage?: string
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601. */
  lastUpdatedAt: string
  /** How long the task is kept, in milliseconds from its creation; `null` is for ever. */
  ttl: number | null
  /** How many milliseconds to wait between two looks at the task. */
  pollInterval?: number
}

/** Asks that a request be carried out as a task. */
export interface TaskMetadata {
  /** How long to keep the task, in milliseconds from its creation. */
  ttl?: number
}

/** Stands in `_meta` under `io.modelcontextprotocol/related-task`. */
export interface RelatedTaskMetadata {
  /** The task that the message belongs to. */
  taskId: string
}

/** Params of the requests that may be carried out as a task. */
export type TaskAugmentedRequestParams = RequestParams & {
  /** 2025-11-25 only. */
  task?: TaskMetadata
}

/** Stands in for the result of a request that became a task. */
export type CreateTaskResult = PlainResult & {
  /** The new task. Poll it with `tasks/get`. */
  task: Task
}

/** Params of every request about one task. */
export type TaskRequestParams = RequestParams & {
  /** The task that the request is about. */
  taskId: string
}

/** Requests the state of a task. */
export interface GetTaskRequest {
  /** `tasks/get` returns the state of a task, without its result. */
  method: 'tasks/get'
  /** Which task. */
  params: TaskRequestParams
}

/** The state of a task. */
export type GetTaskResult = PlainResult & Task

/** Waits for the end of a task and asks for what came of it. */
export interface GetTaskPayloadRequest {
  /** `tasks/result` waits for the end of a task and returns its result. */
  method: 'tasks/result'
  /** Which task. */
  params: TaskRequestParams
}

/** What the request would have returned, had it not been a task. */
export type GetTaskPayloadResult = PlainResult & JSONObject

/** Requests the end of a task. */
export interface CancelTaskRequest {
  /** `tasks/cancel` ends a task that is still at work. */
  method: 'tasks/cancel'
  /** Which task. */
  params: TaskRequestParams
}

/** The state of the task after it was cancelled. */
export type CancelTaskResult = PlainResult & Task

/** Requests the tasks of the caller. */
export interface ListTasksRequest {
  /** `tasks/list` returns the tasks of the caller, page by page. */
  method: 'tasks/list'
  /** Which page. */
  params?: PaginatedRequestParams
}

/** One page of tasks. */
export type ListTasksResult = PlainResult & {
  /** The tasks of this page. */
  tasks: Task[]
  /** Absent on the last page, and only there. */
  nextCursor?: string
}

/** A task with its new state. */
export type TaskStatusNotificationParams = NotificationParams & Task

/** Announces that a task has a new state. Clients must not rely on it; they poll. */
export interface TaskStatusNotification {
  /** Names the notification: a task has a new state. */
  method: 'notifications/tasks/status'
  /** The task with its new state. */
  params: TaskStatusNotificationParams
}
