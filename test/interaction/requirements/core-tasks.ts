// Tasks as revision 2025-11-25 has them in its own specification. Ids carry the row of the checklist of the extensions.
import type { RequirementTable } from './entry.ts'
import { HANDSHAKE_ONCE, LEGACY_CHANNEL } from './scopes.ts'

/** Who calls is said by the channel. */
const SIGNED = { ...HANDSHAKE_ONCE, transports: ['memory'] } as const

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
  'tasks L-03: answers of odd servers': {
    ...HANDSHAKE_ONCE,
    source: 'tasks L-03; B-TASKL-08',
    text: 'A server that answers a call as a task with the result itself is understood; a task or a result that has not the form of one is an error.',
  },
  'tasks L-11: progress of the original token': {
    ...HANDSHAKE_ONCE,
    source: 'S-PROG-07',
    text: 'Progress reaches `onProgress` of the call, each value once, until its task has ended.',
  },
  'tasks L-01: declared': {
    source: 'B-TASKL-01; tasks T-02; tasks T-06',
    text: 'A server with a tool for tasks declares `tasks` at 2025-11-25, and at no other revision; the identifier of the extension is for modern ones.',
  },
  'tasks L-02: taskSupport': {
    source: 'tasks L-02',
    text: 'Tools are listed with `execution.taskSupport` at 2025-11-25, by their mode, and without it at every other revision.',
  },
  'tasks L-04: required': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-03',
    text: 'A plain call of a tool that must be called as a task is -32601, and runs nothing.',
  },
  'tasks L-05: forbidden': {
    ...HANDSHAKE_ONCE,
    source: 'tasks L-05',
    text: 'A call as a task of a tool that does not allow it is -32601, and runs nothing.',
  },
  'tasks L-06: without the capability': {
    source: 'B-TASKL-04; tasks T-07',
    text: 'A server that declares no tasks ignores `task` and answers the call.',
  },
  'tasks L-07: created': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-05; B-TASKL-06',
    text: 'A call as a task is answered with the task in `working`, with its own id, times and actual `ttl`, in every mode.',
  },
  'tasks L-07: bad arguments': {
    ...HANDSHAKE_ONCE,
    source: 'traps X-22; B-TASKL-05',
    text: 'Arguments that do not fit are an error at once, and no task is made.',
  },
  'tasks L-08: the result': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-08',
    text: '`tasks/result` waits for the end and returns the result of the call exactly, tagged with the task, any number of times.',
  },
  'tasks L-08: failures': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-08; B-TASKL-07',
    text: 'A tool that failed makes its task `failed`, and its result is still returned; an error of the call is returned as that error.',
  },
  'tasks L-08: given up': {
    ...HANDSHAKE_ONCE,
    source: 'tasks L-08',
    text: 'A `tasks/result` that the client gives up ends, and the task goes on.',
  },
  'tasks L-08: a bound': {
    ...HANDSHAKE_ONCE,
    source: 'tasks L-08',
    text: 'So many requests of one client wait for results, and no more; other requests go on.',
  },
  'tasks L-09: questions of a task': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-09; tasks L-15',
    text: 'A task that asks is `input_required`; its questions come to the client that waits for the result, tagged, and the answers go to the handler.',
  },
  'tasks L-09: one question to one client': {
    ...SIGNED,
    source: 'tasks L-09; traps X-29',
    text: 'A question is sent once, however many requests wait; when its request is given up, the next one sends it.',
  },
  'tasks L-09: a client that is gone': {
    ...SIGNED,
    source: 'tasks L-09; traps X-38',
    text: 'A question that a client has not answered for a while goes to another client that waits, as to the same one after a restart.',
  },
  'tasks L-09: a client that refuses': {
    ...HANDSHAKE_ONCE,
    source: 'tasks L-09; TQ-4',
    text: 'The error with which a client answers a question reaches the handler, as in a plain call.',
  },
  'tasks L-10: unknown tasks': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-10; tasks T-30',
    text: 'Every request about a task that does not exist is -32602, with one message for all reasons.',
  },
  'tasks L-10: cancel': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-10; B-TASKL-07; traps X-08; traps X-09',
    text: 'A cancelled task is `cancelled` before the answer and stays it, whatever its handler does; a task that has ended cannot be cancelled.',
  },
  'tasks L-11: progress of a task': {
    ...HANDSHAKE_ONCE,
    source: 'S-PROG-07; tasks L-09',
    text: 'The server reports progress with the token of the call until the task has ended, tagged with the task.',
  },
  'tasks L-12: bound to the caller': {
    ...SIGNED,
    source: 'B-TASKL-12; R16; F105; traps X-01; traps X-02; TQ-10',
    text: 'Only the caller that created a task finds it, in any session; others, and callers without a principal, find nothing.',
  },
  'tasks L-12: no list for nobody': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-12',
    text: 'To callers that cannot be told apart, `tasks/list` is neither declared nor answered.',
  },
  'tasks L-12: time for nobody': {
    ...SIGNED,
    source: 'B-TASKL-12; traps X-07',
    text: 'A caller without a principal gets no more time for a task than the tool gives.',
  },
  'tasks L-12: cancelled handlers count': {
    ...SIGNED,
    source: 'traps X-07',
    text: 'A handler that works on after its task was cancelled keeps its worker and counts for its owner, for at most 60 s.',
  },
  'tasks L-13: status notifications': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-11',
    text: 'The session that created a task is told of its changes of status, each once, with the whole task and without a tag.',
  },
  'tasks L-14: listed': {
    ...SIGNED,
    source: 'tasks L-14',
    text: 'A caller lists all of its tasks, page by page, and only those of this revision; a cursor stays good when tasks go.',
  },
  'tasks L-14: bounded work': {
    ...SIGNED,
    source: 'tasks L-14; traps X-07',
    text: 'One `tasks/list` looks at a bounded number of tasks: a page can be short, and its cursor leads on.',
  },
  'tasks L-04: callTool': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-03; B-TASKL-02',
    text: '`callTool` calls a tool as a task that must be called so, and one that may be with `task: true`, and returns its ordinary result.',
  },
  'tasks L-04: failures for the caller': {
    ...HANDSHAKE_ONCE,
    source: 'tasks L-04; tasks L-08',
    text: 'A tool that failed is a result with `isError`, an error of the call is thrown, and so is a task that somebody cancelled.',
  },
  'tasks L-15: questions for the caller': {
    ...HANDSHAKE_ONCE,
    source: 'tasks L-15; traps X-32',
    text: 'A task that asks is asked for its result before its end, so that the questions arrive, and the callbacks answer them.',
  },
  'tasks L-16: no tag on requests about tasks': {
    ...HANDSHAKE_ONCE,
    source: 'B-TASKL-09; tasks L-16',
    text: 'Requests of the client about a task name it in their params, and carry no tag.',
  },
  'tasks L-16: stopping': {
    ...HANDSHAKE_ONCE,
    source: 'traps X-33; C-CAN-04',
    text: 'A call that is given up cancels its task with `tasks/cancel`, unless it is told to leave it.',
  },
  'tasks L-14: client.tasks': {
    ...SIGNED,
    source: 'tasks L-14',
    text: '`client.tasks` starts, finds, lists, cancels and resumes tasks of this revision, from a new connection too.',
  },
  'tasks L-16: dialects': {
    ...HANDSHAKE_ONCE,
    source: 'traps X-18',
    text: 'A task of one revision is not found at the other.',
  },
} as const satisfies RequirementTable
