// Tasks as a client sees them: calls that a server answers with a task, and what `client.tasks` does with them.
import type { RequirementTable } from './entry.ts'
import { HANDSHAKE_ONCE, MODERN, MODERN_CHANNEL } from './scopes.ts'

export const CLIENT_TASKS = {
  'tasks T-31: a call takes a result or a task': {
    ...MODERN,
    source: 'extensions digest T-31',
    text: 'A call returns the ordinary result, whether the server answers at once or with a task.',
  },
  'tasks T-32: a task on another method, or undeclared': {
    ...MODERN_CHANNEL,
    source: 'extensions digest T-32',
    text: 'A task as the result of another method, or for a client that did not declare the extension, is an invalid result.',
  },
  'tasks T-33: the extension is declared on every request about tasks': {
    ...MODERN,
    source: 'extensions digest T-33',
    text: 'Requests of tasks/get, tasks/update, tasks/cancel and listens with taskIds declare the extension.',
  },
  'tasks T-34: Mcp-Name is the id of the task': {
    ...MODERN,
    transports: ['http', 'fetch'],
    source: 'extensions digest T-34',
    text: 'The header Mcp-Name of tasks/get, tasks/update and tasks/cancel is the id of the task.',
  },
  'tasks T-35 and T-36: polls until the end, each change once': {
    ...MODERN,
    source: 'extensions digest T-35, T-36',
    text: 'A task is polled until it has ended, and onStatus gets every change of its state once.',
  },
  'tasks T-37 and T-38: questions of a task are answered by the callbacks, once': {
    ...MODERN,
    source: 'extensions digest T-37, T-38, TQ-5',
    text: 'Several questions of a task go to the callbacks of the client, each once; a decline is an answer like any other.',
  },
  'tasks T-37: a question that the client cannot answer fails the call': {
    ...MODERN_CHANNEL,
    source: 'extensions digest T-37',
    text: 'A question without a callback, or of a wrong form, fails the call and cancels the task.',
  },
  'tasks T-39: an abort cancels the task, and nothing else': {
    ...MODERN,
    source: 'extensions digest T-39, X-25, X-33',
    text: 'A call that is aborted rejects at once and sends tasks/cancel, never notifications/cancelled.',
  },
  'tasks T-40: the result of a task is checked like a plain one': {
    ...MODERN_CHANNEL,
    source: 'extensions digest T-40, TQ-3',
    text: 'Form, resultType and structured output of the result of a task are checked, for calls and for jobs.',
  },
  'tasks T-41: the state of a task is never cached': {
    ...MODERN,
    source: 'extensions digest T-41',
    text: 'Every client.tasks.get() is a request, whatever ttlMs the task has.',
  },
  'client-tasks:options:values': {
    source: 'api 3',
    text: 'An option of a call or of a wait for its task that has a value that cannot work rejects, and nothing is sent.',
  },
  'client-tasks:job:wait-options': {
    ...MODERN,
    source: 'api 3',
    text: '`result()` of a job rejects for times that are no durations and callbacks that are none, and polls nothing.',
  },
  'client-tasks:options:unused': {
    source: 'api 13',
    text: 'Options of tasks on a client without tasks() are reported, once each, by a warning that names tasks().',
  },
  'client-tasks:options:plain-call': {
    ...HANDSHAKE_ONCE,
    source: 'api 13',
    text: 'At 2025-11-25 options of tasks on a plain call are reported, once each, where the tool could be called as a task.',
  },
  'client-tasks:options:ask-for-a-task': {
    ...HANDSHAKE_ONCE,
    source: 'api 13, extensions digest 7.3',
    text: "At 2025-11-25 `leaveAfterMs` and `onStop: 'leave'` make the call a task where the tool can be one; `task: false` keeps it plain.",
  },
  'client-tasks:callbacks:failing': {
    since: '2025-11-25',
    transports: ['memory', 'http'],
    source: 'api 3',
    text: '`onStatus` and `onProgress` that throw, or are async and reject, are faults; the call and the process go on.',
  },
  'client-tasks:call:outcomes': {
    ...MODERN,
    source: 'extensions digest 7.3',
    text: "A failed task rejects with the server's error, a cancelled one with TaskCancelledError, a lost one with TaskGoneError.",
  },
  'client-tasks:call:on-stop': {
    ...MODERN,
    source: 'extensions digest 7.3',
    text: "With onStop 'leave' a call that is aborted leaves its task alone, and its reference stays.",
  },
  'client-tasks:call:leave-after': {
    ...MODERN,
    source: 'extensions digest 7.3',
    text: 'After leaveAfterMs a call rejects with TaskPendingError, and its job goes on with the task.',
  },
  'client-tasks:call:time-in-all': {
    ...MODERN,
    source: 'extensions digest TQ-16, X-36',
    text: 'The limit maxTotalMs holds for the call with its task, which is then cancelled.',
  },
  'client-tasks:call:close': {
    ...MODERN,
    source: 'extensions digest X-33',
    text: 'A client that closes cancels the tasks of its open calls first; jobs and their references stay.',
  },
  'client-tasks:job:start': {
    ...MODERN,
    source: 'extensions digest 7.3',
    text: 'A start gives a job for a task and for a plain result; several loops see each state once, and leaving one cancels nothing.',
  },
  'client-tasks:job:cancel': {
    ...MODERN,
    source: 'extensions digest 3.7',
    text: 'Cancelling a job asks the server, and whoever waits sees what the task came to.',
  },
  'client-tasks:reference:resume': {
    ...MODERN,
    source: 'extensions digest 7.3, X-37, X-38',
    text: 'A reference is stored before the first poll and removed after the end; resume() goes on with it on another connection.',
  },
  'client-tasks:reference:wrong': {
    ...MODERN,
    source: 'extensions digest 7.3',
    text: 'Resuming throws for what is no reference, and for one of another server, revision or tool.',
  },
  'client-tasks:bare': {
    ...MODERN,
    source: 'extensions digest 7.3, T-26',
    text: 'The methods get, update and cancel send the bare methods; list() is not offered since 2026-07-28.',
  },
  'client-tasks:watch': {
    ...MODERN,
    source: 'extensions digest 3.8, 7.3',
    text: 'With watch: true one subscription reports all tasks of a client, and few polls are left.',
  },
  'client-tasks:hostile:handle': {
    ...MODERN_CHANNEL,
    source: 'extensions digest 3.2',
    text: 'A handle without an id, or with one that is too long or has control characters, is an invalid result, and absurd times in one do no harm.',
  },
  'client-tasks:hostile:state': {
    ...MODERN_CHANNEL,
    source: 'extensions digest 3.2',
    text: 'A state of another task or without a status ends the call; long messages are cut, unknown members kept up to 65,536 characters.',
  },
  'client-tasks:hostile:endless': {
    ...MODERN_CHANNEL,
    source: 'extensions digest TQ-18',
    text: 'A server that asks without end is given up, and its task is cancelled.',
  },
  'client-tasks:older-revisions': {
    eras: ['legacy'],
    source: 'extensions digest 3.1',
    text: 'At revisions without tasks calls are plain ones, and client.tasks says that there are none.',
  },
} as const satisfies RequirementTable
