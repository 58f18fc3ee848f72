// What the scripts of tasks return, as objects.
import type { Claim, Journal, Task, TaskStatus } from '../backend/task-store.ts'

/** What `claimOf` in the scripts returns: then names and texts of the journal, one after the other. */
export type ClaimFields = readonly [id: string, kind: string, input: string, attempt: number, ...journal: string[]]

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

export function readClaim(fields: ClaimFields): Claim {
  const [id, kind, input, attempt] = fields
  return { id, kind, input, attempt: Number(attempt), ...readJournal(fields) }
}

export function readJournal(fields: ClaimFields): Journal {
  const steps = emptyTexts()
  const answers = emptyTexts()
  for (let index = 4; index < fields.length; index += 2) {
    const name = fields[index] as string
    const texts = name[0] === 's' ? steps : answers
    texts[name.slice(2)] = fields[index + 1] as string
  }
  return { steps, answers }
}

/** Keys may be names of the language. */
function emptyTexts(): Texts {
  return Object.create(null) as Texts
}
