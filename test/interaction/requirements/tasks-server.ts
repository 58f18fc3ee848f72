// Tasks on the server, in the form of the extension. Ids carry the row of the checklist of the extensions.
import type { RequirementTable } from './entry.ts'
import { DIRECT, LEGACY, MODERN } from './scopes.ts'

export const TASKS_SERVER = {
  'tasks T-01: declared': {
    source: 'tasks T-02; S-TASK-19',
    text: 'A modern client sees the extension as an empty object and no `tasks` capability; a legacy client does not see the extension.',
  },
  'tasks T-03: only to clients that declared it with the request': {
    ...MODERN,
    source: 'tasks T-05; S-TASK-01',
    text: 'A call becomes a task only if that very request declares the extension; the old capability does not count.',
  },
  'tasks T-04: required': {
    ...MODERN,
    source: 'S-TASK-02; tasks T-05',
    text: 'A tool that must be a task refuses a client that did not declare the extension with -32021 that names it, and does not run.',
  },
  'tasks T-06: the identifier means nothing at other revisions': {
    ...LEGACY,
    source: 'extensions digest 3.1',
    text: 'In legacy revisions the identifier of the extension makes no task: the call is answered plainly.',
  },
  'tasks T-07: params.task is ignored': {
    ...MODERN,
    source: 'S-TASK-18',
    text: '`task` in the params changes nothing, for tools with and without the option.',
  },
  'tasks T-08: creation': {
    ...MODERN,
    source: 'S-TASK-03; tasks T-09; tasks T-10; S-TASK-04',
    text: 'The answer is flat, has `resultType: "task"` and all times, nothing of the other flow, and its task can be found at once.',
  },
  'tasks T-12: what tasks/get shows': {
    ...MODERN,
    source: 'S-TASK-05; S-TASK-06; tasks T-13; TQ-3',
    text: 'By its status: nothing more, the open questions, the result or the error, always with `resultType: "complete"`.',
  },
  'tasks T-14: the result': {
    ...MODERN,
    source: 'S-TASK-10; tasks T-16; TQ-13',
    text: 'The result is exactly what the call returns inline, for text, structured content, tool errors and time limits of the tool, and stays so.',
  },
  'tasks T-15: the error': {
    ...MODERN,
    source: 'S-TASK-11',
    text: 'A call that ends with a JSON-RPC error makes the task `failed` with exactly that error, and the status message says it.',
  },
  'tasks T-17: final is final': {
    ...MODERN,
    source: 'S-TASK-12; F105; tasks T-23; X-08; X-09',
    text: 'Cancels, answers, progress and results that come after the end change nothing, and are acknowledged.',
  },
  'tasks T-18: acknowledgements': {
    ...MODERN,
    source: 'S-TASK-07; tasks T-13',
    text: '`tasks/update` and `tasks/cancel` are answered with nothing but the result type and the stamp of the server.',
  },
  'tasks T-19: unknown ids': {
    ...MODERN,
    source: 'S-TASK-08; tasks T-30',
    text: 'Ids that are unknown, malformed, of another kind or of any length get one and the same -32602 from all three methods.',
  },
  'tasks T-20: undeclared clients': {
    ...MODERN,
    source: 'S-TASK-09; TQ-9',
    text: 'A client that did not declare the extension gets -32021 from `tasks/*`, for ids that exist, for others and for none.',
  },
  'tasks T-21: keys of questions': {
    ...MODERN,
    source: 'S-TASK-13; X-14',
    text: 'Each question of a task has its own key, also the same question asked twice and one that a handler returns under a used key.',
  },
  'tasks T-22: answers': {
    ...MODERN,
    source: 'S-TASK-14; TQ-5; TQ-8',
    text: 'Partial answers leave the rest open; unknown keys, second answers and answers without a question are ignored.',
  },
  'tasks T-22: answers that do not fit': {
    ...MODERN,
    source: 'TQ-4',
    text: 'An answer that does not fit the question fails the run as it would inline, unless the handler catches it; it is not asked again.',
  },
  'tasks T-24: no messages for a task': {
    ...MODERN,
    source: 'S-TASK-16; TQ-15',
    text: 'Progress of a task becomes its status message; neither progress nor log messages are sent.',
  },
  'tasks T-26: methods of the other flow': {
    ...MODERN,
    source: 'S-TASK-18; X-18',
    text: '`tasks/result` and `tasks/list` do not exist.',
  },
  'tasks T-29: the header Mcp-Name': {
    ...DIRECT,
    source: 'extensions digest 3.3',
    text: 'Over HTTP `Mcp-Name` must be the id of the task, else the request is refused with -32020.',
  },
  'tasks T-42: limits': {
    ...MODERN,
    source: 'TQ-20; extensions digest 3.9',
    text: 'Open tasks per owner and in all, the time that a task is kept, and the size of a result are limited.',
  },
  'tasks T-42: memory': {
    ...MODERN,
    source: 'TQ-20; traps X-07',
    text: 'What tasks take in memory is limited per owner and in all. Beyond it no task is created, no answer is taken, and a result fails its task.',
  },
  'tasks T-42: callers that nobody verified': {
    ...MODERN,
    source: 'TQ-20; traps X-07',
    text: 'Callers that nobody verified share the limits of all, and no smaller one that a single caller could use up.',
  },
  'tasks holds: no worker': {
    ...MODERN,
    source: 'traps X-07',
    text: 'A run with `holds` that waits for an answer takes no worker; when it goes on, it counts again.',
  },
  'tasks modes': {
    ...MODERN,
    source: 'extensions digest 7.1; X-11',
    text: "Without the option a tool is never a task; 'always' runs inline for clients without tasks; handlers of any kind can be tasks.",
  },
  'tasks checks before creation': {
    ...MODERN,
    source: 'X-22',
    text: 'Bad arguments, hidden tools and missing capabilities are refused as always, and make no task.',
  },
  'tasks questions': {
    ...MODERN,
    source: 'TQ-1; extensions digest 3.6; X-15',
    text: 'A handler asks with the same code as inline, one question, several at once and one after the other; steps run once; a question that the client did not declare fails the run.',
  },
  'tasks questions: returned by the handler': {
    ...MODERN,
    source: 'extensions digest 3.6',
    text: 'A handler that returns its questions gets the answers and its state with the next run, and no requestState leaves the server.',
  },
  'tasks questions: held': {
    ...MODERN,
    source: 'extensions digest 7.2; X-21',
    text: 'With `holds` the run waits in memory and goes on with the answer, without a replay.',
  },
  'tasks cancellation': {
    ...MODERN,
    source: 'extensions digest 3.7',
    text: 'A cancel aborts the signal of the run; a run that stops is cancelled, one that succeeds nevertheless is completed; a task that waits is cancelled at once.',
  },
  'tasks context': {
    ...MODERN,
    source: 'extensions digest 7.2; X-10; X-13',
    text: 'A run has the arguments, client, meta and principal of the request that created it, no HTTP request and no way back to the client, and outlives the request and the connection.',
  },
  'tasks ctx.task': {
    ...MODERN,
    source: 'extensions digest 7.2',
    text: '`ctx.task` says which task and run it is, sets the status message and the interval, and extends the time.',
  },
  'tasks promotion: a call that takes longer than promoteAfterMs becomes a task': {
    ...MODERN,
    source: 'extensions digest 7.5',
    text: 'A call of a tool with `task` whose handler takes longer than `promoteAfterMs` is answered with a task then, not before, and the same run gives its result.',
  },
  'tasks promotion: a call that ends in time is answered plainly': {
    ...MODERN,
    source: 'extensions digest 7.5',
    text: 'A call of a tool with `task` that ends before `promoteAfterMs` is answered with its result.',
  },
  'tasks promotion: ctx.background()': {
    ...MODERN,
    source: 'extensions digest 7.5',
    text: '`ctx.background()` answers the call with a task at once, with its text as the status message.',
  },
  'tasks promotion: a client without tasks is kept waiting by progress': {
    source: 'extensions digest 7.5',
    text: 'For a client that takes no tasks `ctx.background()` does nothing, and the call sends progress every 10 s until it ends.',
  },
  'tasks middleware': {
    ...MODERN,
    source: 'extensions digest 7.4',
    text: 'Middleware runs around the request that creates a task and once around each run, where ctx.task tells it apart; limits count requests only.',
  },
  'tasks shutdown': {
    ...DIRECT,
    source: 'TQ-14',
    text: 'When the server closes, runs that do not end in time fail with an error that says so, and their signal aborts.',
  },
} as const satisfies RequirementTable
