// `tasks/list`: the tasks of the caller, page by page.
import type { Task, TaskPage } from '../../../backend/task-store.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { ListTasksResult } from '../../../types/features/tasks.ts'
import type { TaskRuntime } from '../server/runtime.ts'
import { type Bookmark, decodeCursor, encodeCursor } from './list-cursor.ts'
import { toWireTask } from './wire-task.ts'

const PAGE_SIZE = 50

/** What one request looks at, at most: a caller may have many tasks of tools that it can't use any more. */
const MAX_LOOKED_AT = 1_000

/** Spec, Tasks: whatever `tasks/get` shows to a caller is listed too, and nothing else. */
export async function listTasks(
  runtime: TaskRuntime,
  ctx: ServerRequestContext,
  cursor: string | undefined,
): Promise<ListTasksResult> {
  const page: Task[] = []
  let start = cursor === undefined ? {} : await startOf(runtime, ctx, decodeCursor(cursor))
  let next: Task | undefined
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT; ) {
    const tasks = await runtime.access.list(ctx, { dialect: 'core', limit: PAGE_SIZE + 1, ...start })
    for (const task of tasks) {
      if (page.length === PAGE_SIZE) return toResult(runtime, page, next)
      next = task
      if (runtime.access.mayUse(task, ctx)) page.push(task)
    }
    if (next === undefined || tasks.length <= PAGE_SIZE) return toResult(runtime, page, undefined)
    lookedAt += tasks.length
    start = { after: next.id }
  }
  return toResult(runtime, page, next)
}

/** `last`: the last task that was looked at, where there are more behind it. */
function toResult({ now }: TaskRuntime, page: readonly Task[], last: Task | undefined): ListTasksResult {
  const nextCursor = last === undefined ? {} : { nextCursor: encodeCursor(last) }
  return { tasks: page.map((task) => toWireTask(task, now)), ...nextCursor }
}

/** If the task of the bookmark has gone, the list goes on at its time: some tasks may come again, but none is left out. */
async function startOf(
  runtime: TaskRuntime,
  ctx: ServerRequestContext,
  { id, createdAt }: Bookmark,
): Promise<Pick<TaskPage, 'after' | 'createdFrom'>> {
  return (await runtime.access.owns(ctx, id)) ? { after: id } : { createdFrom: createdAt }
}
