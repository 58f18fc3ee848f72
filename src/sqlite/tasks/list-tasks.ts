// A page of the tasks of one owner, oldest first.
import type { TaskPage } from '../../backend/task-store.ts'
import type { Engine } from '../engine/engine.ts'
import type { TaskRow } from './task-row.ts'
import { TASK_COLUMNS, type TaskRows } from './task-rows.ts'

const FROM = `SELECT ${TASK_COLUMNS} FROM mcpwire_task WHERE ns = ? AND owner = ? AND dialect = ?`
const FIRST = `${FROM} AND created_at >= ? ORDER BY created_at, n LIMIT ?`
const AFTER = `${FROM} AND (created_at, n) > (?, ?) ORDER BY created_at, n LIMIT ?`

/** Inside a transaction. What is gone is left out, so that further rows take its place. */
export function listTasks(engine: Engine, rows: TaskRows, owner: string, page: TaskPage): readonly TaskRow[] {
  const { dialect, limit, after, createdFrom = 0 } = page
  const { sql, namespace } = engine
  const now = engine.now()
  const found: TaskRow[] = []
  let last: TaskRow | undefined
  if (after !== undefined) {
    last = rows.find(after)
    if (last?.owner !== owner || last.dialect !== dialect) return found
  }
  for (;;) {
    const wanted = limit - found.length
    if (wanted <= 0) return found
    const next = (
      last === undefined
        ? sql.all(FIRST, namespace, owner, dialect, createdFrom, wanted)
        : sql.all(AFTER, namespace, owner, dialect, last.created_at, last.n, wanted)
    ) as TaskRow[]
    for (const row of next) if (rows.settle(row, now)) found.push(row)
    if (next.length < wanted) return found
    last = next.at(-1)
  }
}
