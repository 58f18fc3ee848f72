// Tasks as revision 2025-11-25 has them in its own specification. Ids carry the row of the checklist of the extensions.
import type { RequirementTable } from './entry.ts'
import { HANDSHAKE_ONCE, LEGACY_CHANNEL } from './scopes.ts'

export const CORE_TASKS = {
  'tasks L-09: answers to questions of a task': {
    ...LEGACY_CHANNEL,
    since: '2025-06-18',
    source: 'B-TASKL-09',
    text: 'The client tags its answer to a tagged question with the same task at 2025-11-25, and nothing in older revisions.',
  },
  'tasks L-01: no tasks of the client': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-01, B-TASKL-04',
    text: 'The client declares no tasks of its own: it answers a question at once, `task` or not, and refuses `tasks/*` with an error that says so.',
  },
} as const satisfies RequirementTable
