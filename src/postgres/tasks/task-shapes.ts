// Tasks and claims, from rows and to parameters.
import { fromColumn, toColumn, wellFormed } from '../../backend/stored-text.ts'
import { type TaskColumns, taskOf } from '../../backend/task-row.ts'
import type { Claim, Journal, Task } from '../../backend/task-store.ts'
import type { Row } from '../engine/sql-client.ts'

export type Texts = Readonly<Record<string, string>>

interface TaskRow extends TaskColumns {
  readonly is_cancelling: boolean
  readonly questions: string | null
}

interface ClaimRow {
  readonly id: string
  readonly kind: string
  readonly input: string
  readonly attempt: number
  readonly steps: string | null
  readonly answers: string | null
}

/** Of a task `t`, as `toTask` reads it. */
export const TASK_COLUMNS = `t.id, t.owner, t.kind, t.dialect, t.status, t.status_message, t.created_at, t.updated_at, t.ttl_ms,
  t.poll_interval_ms, t.attempt, t.revision, t.cancelled_at IS NOT NULL AND t.place <> 4 AS is_cancelling, t.outcome,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM mcpwire.task_part WHERE task = t.n AND type = 3)::text END AS questions`

export function toTask(found: Row): Task {
  const row = found as unknown as TaskRow
  return taskOf(row, row.is_cancelling, textsOf(row.questions))
}

export function toClaim(found: Row): Claim {
  const { id, kind, input, attempt, ...journal } = found as unknown as ClaimRow
  return { id, kind, input: fromColumn(input), attempt, ...toJournal(journal) }
}

export function toJournal({ steps, answers }: Pick<ClaimRow, 'steps' | 'answers'>): Journal {
  return { steps: textsOf(steps), answers: textsOf(answers) }
}

/** Pairs as JSON, which a function of the schema takes apart. Half a surrogate pair is no JSON for Postgres. */
export function pairsOf(texts: Texts): string {
  const pairs = Object.entries(texts).map((pair) => pair.map((text) => wellFormed(toColumn(text))))
  return JSON.stringify(pairs)
}

function textsOf(json: string | null): Texts {
  const texts: Record<string, string> = Object.create(null)
  if (json === null) return texts
  for (const [name, value] of Object.entries(JSON.parse(json) as Texts)) texts[fromColumn(name)] = fromColumn(value)
  return texts
}
