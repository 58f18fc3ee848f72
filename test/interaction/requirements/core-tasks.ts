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
  'tasks L-03: only where the server offers it': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-02; B-TASKL-03; tasks L-04',
    text: 'A client calls a tool as a task where the server declares it and the listing of the tool says so, and plainly everywhere else.',
  },
  'tasks L-03: other revisions': {
    ...LEGACY_CHANNEL,
    source: 'B-TASKL-02',
    text: 'At revisions without tasks a client sends none, whatever the server declares and lists.',
  },
  'tasks L-11: progress of the original token': {
    ...HANDSHAKE_ONCE,
    source: 'S-PROG-07',
    text: 'Progress reaches `onProgress` of the call, each value once, until its task has ended.',
  },
} as const satisfies RequirementTable
