// mcpwire tasks: the tasks that this machine has started at a server.
import type { Client } from 'mcpwire'
import type { JobState, TaskReference, TaskState } from 'mcpwire/extensions/tasks'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { prepareWidths, twoColumns } from '../terminal/columns.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import type { Output } from '../terminal/output.ts'
import { createPrompter } from '../terminal/prompter.ts'
import { createQuestions } from '../terminal/questions.ts'
import { showJSON, showJSONLine, showLine } from '../terminal/terminal-text.ts'
import { printToolResult, taskExtension } from './call.ts'
import { connected, expectNoMore, expectWord, splitWords, withinTime } from './connected.ts'
import type { Invocation } from './invocation.ts'

const ACTIONS = ['get', 'result', 'watch', 'cancel'] as const
const USAGE = 'tasks <target> [get|result|watch|cancel <id>]'

type Action = (typeof ACTIONS)[number]

export async function tasksVerb(invocation: Invocation<ConnectionOptions>): Promise<number> {
  const { output } = invocation
  const { target, rest } = splitWords(invocation)
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
      extensions: [taskExtension()],
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
      printState(await client.tasks.get(id, withinTime(options)), output)
      return EXIT.done
    case 'cancel':
      await client.tasks.cancel(id, withinTime(options))
      output.note(`Asked the server to cancel the task ${showLine(id)}`)
      return EXIT.done
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

async function findReference(client: Client, id: string): Promise<TaskReference> {
  const pending = await client.tasks.pending()
  const found = pending.find(({ taskId }) => taskId === id)
  if (found !== undefined) return found
  throw new Failure(`This machine has not started the task "${showLine(id)}" at this server.`, {
    slug: 'task-gone',
    exitCode: EXIT.refused,
    hint:
      pending.length === 0
        ? 'Start one with mcpwire call --task.'
        : `Its tasks are: ${pending.map(({ taskId }) => showLine(taskId)).join(', ')}.`,
  })
}

async function printAll(client: Client, output: Output): Promise<number> {
  const rows = await Promise.all(
    (await client.tasks.pending()).map(async (reference) => ({ ...reference, ...(await stateOf(client, reference)) })),
  )
  if (output.isJSON) {
    output.print(showJSON(rows))
    return EXIT.done
  }
  if (rows.length === 0) {
    output.note('This machine has no tasks at this server.')
    return EXIT.done
  }
  const shown = rows.map((row) => {
    const about = [row.status, `${ageOf(row.createdAt)} old`, row.statusMessage].filter((part) => part !== undefined)
    return [
      `${showLine(row.taskId)}  ${showLine(row.tool)}`,
      about.map((part) => showLine(String(part))).join(', '),
    ] as const
  })
  await prepareWidths(...shown.flat())
  output.print(twoColumns(shown, { indent: 0, width: output.isTerminal ? output.width : undefined }).join('\n'))
  return EXIT.done
}

async function stateOf(
  client: Client,
  { taskId }: TaskReference,
): Promise<Pick<TaskState, 'status' | 'statusMessage'>> {
  try {
    const { status, statusMessage } = await client.tasks.get(taskId)
    return { status, ...(statusMessage !== undefined && { statusMessage }) }
  } catch (error) {
    return { status: 'unknown', statusMessage: (error as Error).message }
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
