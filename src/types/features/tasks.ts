// Tasks as revision 2025-11-25 has them, in either direction. The later extension of that name is another thing.
import type { NotificationParams, PaginatedRequestParams, PlainResult, RequestParams } from '../protocol/base.ts'
import type { JSONObject } from '../protocol/json.ts'

/** The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

export type Task = {
  taskId: string
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
  taskId: string
}

/** Params of the requests that may be carried out as a task. */
export type TaskAugmentedRequestParams = RequestParams & {
  /** 2025-11-25 only. */
  task?: TaskMetadata
}

/** Stands in for the result of a request that became a task. */
export type CreateTaskResult = PlainResult & {
  task: Task
}

/** Params of every request about one task. */
export type TaskRequestParams = RequestParams & {
  taskId: string
}

export interface GetTaskRequest {
  method: 'tasks/get'
  params: TaskRequestParams
}

export type GetTaskResult = PlainResult & Task

/** Waits for the end of a task and asks for what came of it. */
export interface GetTaskPayloadRequest {
  method: 'tasks/result'
  params: TaskRequestParams
}

/** What the request would have returned, had it not been a task. */
export type GetTaskPayloadResult = PlainResult & JSONObject

export interface CancelTaskRequest {
  method: 'tasks/cancel'
  params: TaskRequestParams
}

export type CancelTaskResult = PlainResult & Task

export interface ListTasksRequest {
  method: 'tasks/list'
  params?: PaginatedRequestParams
}

export type ListTasksResult = PlainResult & {
  tasks: Task[]
  /** Absent on the last page, and only there. */
  nextCursor?: string
}

export type TaskStatusNotificationParams = NotificationParams & Task

export interface TaskStatusNotification {
  /** Names the notification: a task has a new state. */
  method: 'notifications/tasks/status'
  /** The task with its new state. */
  params: TaskStatusNotificationParams
}
