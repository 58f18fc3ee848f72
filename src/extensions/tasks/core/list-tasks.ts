// `tasks/list`: the tasks of the caller, page by page.
import type { Task } from '../../../backend/task-store.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { ListTasksResult } from '../../../types/features/tasks.ts'
import type { TaskRuntime } from '../server/runtime.ts'
import { type Bookmark, decodeCursor, encodeCursor } from './list-cursor.ts'
import { toWireTask } from './wire-task.ts'

const PAGE_SIZE = 50

/** Spec, Tasks: whatever `tasks/get` shows to a caller is listed too, and nothing else. */
export async function listTasks(
  runtime: TaskRuntime,
  ctx: ServerRequestContext,
  cursor: string | undefined,
): Promise<ListTasksResult> {
  const found: Task[] = []
  for await (const task of tasksAfter(runtime, ctx, cursor === undefined ? undefined : decodeCursor(cursor))) {
    if (task.dialect !== 'core' || !runtime.mayUse(task, ctx)) continue
    found.push(task)
    if (found.length > PAGE_SIZE) break
  }
  const page = found.slice(0, PAGE_SIZE)
  const last = page.at(-1)
  const { now } = runtime
  return {
    tasks: page.map((task) => toWireTask(task, now)),
    ...(found.length > PAGE_SIZE && last !== undefined && { nextCursor: encodeCursor(last) }),
  }
}

/** The tasks of the caller of both dialects, oldest first, from the bookmark on. */
async function* tasksAfter(runtime: TaskRuntime, ctx: ServerRequestContext, bookmark?: Bookmark): AsyncGenerator<Task> {
  const start = bookmark === undefined ? {} : await startOf(runtime, ctx, bookmark)
  let after = start.after
  for (;;) {
    const tasks = await runtime.list(ctx, { limit: PAGE_SIZE, ...(after !== undefined && { after }) })
    for (const task of tasks) if (task.createdAt >= (start.from ?? 0)) yield task
    after = tasks.at(-1)?.id
    if (after === undefined || tasks.length < PAGE_SIZE) return
  }
}

/** Where the task of the bookmark has gone, the list goes on at its time: some tasks may come again, but none is left out. */
async function startOf(
  runtime: TaskRuntime,
  ctx: ServerRequestContext,
  { id, createdAt }: Bookmark,
): Promise<{ after?: string; from?: number }> {
  return (await runtime.owns(ctx, id)) ? { after: id } : { from: createdAt }
}
