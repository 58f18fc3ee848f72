// What the scripts of tasks return, as objects.
import type { Claim, Journal, Task, TaskStatus } from '../backend/task-store.ts'

/** Fields and values of a task's hash, one after the other. */
export type Fields = readonly string[]

type Texts = Record<string, string>

/** What `view` in the scripts returns: then keys and texts of open questions, one after the other. */
export type View = readonly [
  id: string,
  owner: string,
  kind: string,
  dialect: string,
  status: TaskStatus,
  createdAt: string | number,
  updatedAt: string | number,
  ttlMs: string | number,
  attempt: string | number,
  revision: string | number,
  statusMessage: string | null,
  pollIntervalMs: string,
  outcome: string | null,
  stamp: string,
  isCancelling: 0 | 1,
  ...questions: string[],
]

export function readTask(view: View): Task {
  const [id, owner, kind, dialect, status, createdAt, updatedAt, ttl, attempt, revision, ...more] = view
  const [message, poll, outcome, , isCancelling] = more
  const questions = emptyTexts()
  for (let index = 15; index < view.length; index += 2) questions[view[index] as string] = view[index + 1] as string
  return {
    id,
    owner,
    kind,
    dialect,
    status,
    ...(message !== null && { statusMessage: message }),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    ttlMs: ttl === '' ? null : Number(ttl),
    pollIntervalMs: Number(poll),
    attempt: Number(attempt),
    revision: Number(revision),
    ...(Number(isCancelling) === 1 && { isCancelling: true as const }),
    questions,
    ...(outcome !== null && { outcome }),
  }
}

export function readClaim(id: string, fields: Fields): Claim {
  const { kind, input, attempt } = {
    kind: fieldOf(fields, 'k'),
    input: fieldOf(fields, 'i'),
    attempt: fieldOf(fields, 'a'),
  }
  return { id, kind, input, attempt: Number(attempt), ...readJournal(fields) }
}

export function readJournal(fields: Fields): Journal {
  const steps = emptyTexts()
  const answers = emptyTexts()
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] as string
    if (name[1] !== ':') continue
    if (name[0] === 's') steps[name.slice(2)] = fields[index + 1] as string
    else if (name[0] === 'w') answers[name.slice(2)] = fields[index + 1] as string
  }
  return { steps, answers }
}

function fieldOf(fields: Fields, name: string): string {
  for (let index = 0; index < fields.length; index += 2) if (fields[index] === name) return fields[index + 1] as string
  return ''
}

/** Keys may be names of the language. */
function emptyTexts(): Texts {
  return Object.create(null) as Texts
}
