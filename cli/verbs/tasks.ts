// mcpwire tasks: the tasks that this machine has started at a server.
import { type Client, MCPError } from 'mcpwire'
import type { JobState, TaskReference, TaskState } from 'mcpwire/extensions/tasks'
import { ErrorCode } from 'mcpwire/types'
import { forgetTask, keepingTaskExtension, listKeptTasks } from '../files/kept-tasks.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { prepareWidths, twoColumns } from '../terminal/columns.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import type { Output } from '../terminal/output.ts'
import { createPrompter } from '../terminal/prompter.ts'
import { createQuestions } from '../terminal/questions.ts'
import { showJSON, showJSONLine, showLine } from '../terminal/terminal-text.ts'
import { printToolResult } from './call.ts'
import { connected, expectNoMore, expectWord, splitWords, withinTime } from './shared/connected.ts'
import type { Invocation } from './shared/invocation.ts'

const ACTIONS = ['get', 'result', 'watch', 'cancel'] as const
const USAGE = 'tasks <target> [get|result|watch|cancel <id>]'

type Action = (typeof ACTIONS)[number]

export async function tasksVerb(invocation: Invocation<ConnectionOptions>): Promise<number> {
  const { output } = invocation
  const { target, rest } = splitWords(invocation)
  if (target.word === undefined && target.command === undefined && invocation.options.config === undefined) {
    return printKept(await listKeptTasks(), output)
  }
  const [action, id, ...more] = rest
  expectNoMore(more, USAGE)
  if (action !== undefined && !isAction(action)) {
    throw usageFailure(`Unknown action "${action}".${suggest(action, ACTIONS)}`, `Usage: mcpwire ${USAGE}`)
  }
  if (action !== undefined) expectWord(id, 'id of the task', USAGE)
  const prompter = createPrompter(process)
  const exitCode = await connected(
    invocation,
    target,
    (client) => (action === undefined ? printAll(client, output) : act(client, action, id ?? '', invocation)),
    (client) => ({
      ...createQuestions(prompter, output, () => client().serverInfo?.name ?? 'The server').clientOptions,
      extensions: [keepingTaskExtension()],
    }),
  )
  return exitCode ?? EXIT.done
}

function isAction(word: string): word is Action {
  return (ACTIONS as readonly string[]).includes(word)
}

async function act(
  client: Client,
  action: Action,
  id: string,
  invocation: Invocation<ConnectionOptions>,
): Promise<number> {
  const { options, output } = invocation
  switch (action) {
    case 'get':
      printState(await getState(client, id, options), output)
      return EXIT.done
    case 'cancel':
      return cancel(client, id, invocation)
    case 'result': {
      const job = client.tasks.resume(await findReference(client, id))
      return printToolResult(await job.result(withinTime(options)), {}, output)
    }
    case 'watch': {
      let last: JobState | undefined
      for await (const state of client.tasks.resume(await findReference(client, id))) {
        last = state
        printChange(state, output)
      }
      return last?.status === 'completed' ? EXIT.done : EXIT.refused
    }
  }
}

/** What a server says of an id that it does not know helps nobody who has mistyped it. */
async function getState(client: Client, id: string, options: ConnectionOptions): Promise<TaskState> {
  try {
    return await client.tasks.get(id, withinTime(options))
  } catch (error) {
    if (!(error instanceof MCPError) || error.local) throw error
    if (error.code === ErrorCode.MethodNotFound) {
      throw new Failure('The server has no tasks.', { slug: 'method-not-found', exitCode: EXIT.refused, cause: error })
    }
    if (error.code !== ErrorCode.InvalidParams) throw error
    throw new Failure(`The server knows no task "${showLine(id)}" of yours. It has expired, or was never there.`, {
      slug: 'task-gone',
      exitCode: EXIT.refused,
      hint: await hintFor(client, id),
      cause: error,
    })
  }
}

const FINAL: readonly string[] = ['completed', 'failed', 'cancelled']

/** A server may go on with a task that was cancelled: what counts is the state after it. */
async function cancel(client: Client, id: string, { options, output }: Invocation<ConnectionOptions>): Promise<number> {
  const { status } = await getState(client, id, options)
  if (FINAL.includes(status)) {
    throw new Failure(`The task ${showLine(id)} has ended: it is ${showLine(status)}.`, {
      exitCode: EXIT.refused,
      hint: status === 'completed' ? `Use tasks <target> result ${showLine(id)} for its result.` : undefined,
    })
  }
  await client.tasks.cancel(id, withinTime(options))
  const after = await client.tasks.get(id, withinTime(options))
  if (output.isJSON) output.print(showJSON(after))
  else output.note(`Asked the server to cancel the task ${showLine(id)}: it is ${showLine(after.status)}`)
  return EXIT.done
}

async function findReference(client: Client, id: string): Promise<TaskReference> {
  const pending = await client.tasks.pending()
  const found = pending.find(({ taskId }) => taskId === id)
  if (found !== undefined) return found
  throw new Failure(`This machine knows no task "${showLine(id)}" of this server.`, {
    slug: 'task-gone',
    exitCode: EXIT.refused,
    hint: await hintFor(client, id),
  })
}

/** A task of another server or another era is there, and has to be asked for in another way. */
async function hintFor(client: Client, id: string): Promise<string> {
  const pending = await client.tasks.pending()
  const kept = pending.some(({ taskId }) => taskId === id) ? [] : await listKeptTasks()
  const elsewhere = kept.find(({ taskId }) => taskId === id)
  if (elsewhere === undefined) return hintOf(pending)
  return `It is a task of ${describePlace(elsewhere)}. Use that target with --mode ${modeOf(elsewhere)}.`
}

function hintOf(pending: readonly TaskReference[]): string {
  if (pending.length === 0) return 'Start one with mcpwire call --task.'
  return `Its tasks are: ${pending.map(({ taskId }) => showLine(taskId)).join(', ')}.`
}

function describePlace(reference: TaskReference): string {
  return `${showLine(reference.server)}, in mode ${modeOf(reference)}`
}

function modeOf({ dialect }: TaskReference): string {
  return dialect === 'core' ? '2025-11-25' : 'modern'
}

type Row = TaskReference & Partial<Pick<TaskState, 'status' | 'statusMessage'>>

async function printAll(client: Client, output: Output): Promise<number> {
  const references = await client.tasks.pending()
  const rows = await Promise.all(
    references.map(async (reference): Promise<Row> => ({ ...reference, ...(await stateOf(client, reference)) })),
  )
  const kept = await listKeptTasks()
  const none = 'This machine has no tasks at this server'
  const all = kept.length === 0 ? '.' : ' in this mode. Run mcpwire tasks to see those of all servers and modes.'
  const exitCode = await printRows(rows, output, `${none}${all}`)
  noteOtherEra(references, kept, output)
  return exitCode
}

/** Those of the other era are kept by the same server, which this connection can't ask for them. */
function noteOtherEra([shown]: readonly TaskReference[], kept: readonly TaskReference[], output: Output): void {
  const others = kept.filter(({ server, dialect }) => server === shown?.server && dialect !== shown.dialect)
  const [other] = others
  if (other !== undefined) output.note(`${others.length} more in mode ${modeOf(other)}. Use --mode ${modeOf(other)}.`)
}

/** Of all servers, without a connection. */
function printKept(references: readonly TaskReference[], output: Output): Promise<number> {
  return printRows(references, output, 'This machine has no tasks. Start one with mcpwire call --task.')
}

async function printRows(rows: readonly Row[], output: Output, none: string): Promise<number> {
  if (output.isJSON) output.print(showJSON(rows))
  else if (rows.length === 0) output.note(none)
  else {
    const shown = rows.map(({ taskId, tool, status, statusMessage, createdAt, ...reference }) => {
      const where = status === undefined ? [describePlace({ ...reference, taskId, tool, createdAt })] : [status]
      const about = [...where, `${ageOf(createdAt)} old`, statusMessage].filter((part) => part !== undefined)
      return [`${showLine(taskId)}  ${showLine(tool)}`, about.map((part) => showLine(part)).join(', ')] as const
    })
    await prepareWidths(...shown.flat())
    output.print(twoColumns(shown, { indent: 0, width: output.isTerminal ? output.width : undefined }).join('\n'))
  }
  return EXIT.done
}

async function stateOf(client: Client, reference: TaskReference): Promise<Pick<TaskState, 'status' | 'statusMessage'>> {
  try {
    const { status, statusMessage } = await client.tasks.get(reference.taskId)
    return { status, ...(statusMessage !== undefined && { statusMessage }) }
  } catch (error) {
    if (!(error instanceof MCPError) || error.local) throw error
    // Listed once more, so that whoever waits for it hears of its end.
    await forgetTask(reference)
    return { status: 'unknown', statusMessage: error.message }
  }
}

function printState(state: TaskState, output: Output): void {
  if (output.isJSON) {
    output.print(showJSON(state))
    return
  }
  const { status, statusMessage, createdAt, error } = state
  const lines = [
    `${output.paint.bold(showLine(status))}${statusMessage === undefined ? '' : `: ${showLine(statusMessage)}`}`,
    `created ${showLine(createdAt)}`,
    ...(error === undefined ? [] : [`error ${Number(error.code)}: ${showLine(error.message)}`]),
  ]
  output.print(lines.join('\n'))
}

function printChange(state: JobState, output: Output): void {
  const { status, statusMessage } = state
  if (output.isJSON) output.print(showJSONLine({ time: new Date().toISOString(), status, statusMessage }))
  else output.print(statusMessage === undefined ? showLine(status) : `${showLine(status)}: ${showLine(statusMessage)}`)
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

function ageOf(createdAt: string): string {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(createdAt)) / 1000))
  const [unit, size] = UNITS.find((each) => seconds >= each[1]) ?? ['s', 1]
  return `${Math.floor(seconds / size)} ${unit}`
}
