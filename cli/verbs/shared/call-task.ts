// mcpwire call --task: prints the id of a task, once it is sure that a later command can find it.
import { type Client, MCPError, type Tool } from 'mcpwire'
import type { TaskReference } from 'mcpwire/extensions/tasks'
import { isModernVersion } from 'mcpwire/types'
import { forgetTask, taskExtension } from '../../files/kept-tasks.ts'
import type { ConnectionOptions } from '../../target/connection-options.ts'
import type { TargetWords } from '../../target/target.ts'
import { EXIT } from '../../terminal/exit-codes.ts'
import { Failure } from '../../terminal/failure.ts'
import type { Output } from '../../terminal/output.ts'
import { showJSON, showLine } from '../../terminal/terminal-text.ts'
import { connected, withinTime } from './connected.ts'
import type { Invocation } from './invocation.ts'

/** The server of a file ends with the command that started it, and its tasks with it, unless they are kept elsewhere. */
export async function announceTask(
  invocation: Invocation<ConnectionOptions>,
  words: TargetWords,
  reference: TaskReference,
): Promise<number> {
  const { output, options } = invocation
  const isUrl = /^https?:/.test(reference.server)
  if (!isUrl) {
    await connected(
      { ...invocation, options: { ...options, yes: true } },
      words,
      async (client) => {
        await client.tasks.get(reference.taskId, withinTime(options)).catch(async (error: unknown) => {
          throw (await explainLost(error, reference, words)) ?? error
        })
      },
      () => ({ extensions: [taskExtension()] }),
    )
  }
  output.print(output.isJSON ? showJSON(reference) : showLine(reference.taskId))
  return EXIT.done
}

const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** Fails where it is known that no task can come of the call: it would wait for the result in its place. */
export function checkTaskSupport({ serverCapabilities, protocolVersion }: Client, tool: Tool): void {
  const { extensions, tasks } = serverCapabilities
  const isModern = isModernVersion(protocolVersion)
  const hasTasks = isModern ? extensions?.[TASKS_EXTENSION] !== undefined : tasks?.requests?.tools?.call !== undefined
  if (!hasTasks) throw noTask('The server has no tasks.')
  // Modern servers don't say it of a tool.
  const { taskSupport = 'forbidden' } = tool.execution ?? {}
  if (!isModern && taskSupport === 'forbidden') throw noTask(`The tool ${showLine(tool.name)} can't run as a task.`)
}

function noTask(message: string): Failure {
  return new Failure(message, { exitCode: EXIT.refused, hint: 'Leave out --task.' })
}

/** A task has its id at once. */
const LATE_MS = 1_000

/** Says why the command waits. Returns what ends that. */
export function noteLateTask({ name }: Tool, output: Output): () => void {
  const timer = setTimeout(() => {
    output.note(`The server has not made a task of ${showLine(name)} yet. It may be running it at once, without one.`)
  }, LATE_MS)
  return () => clearTimeout(timer)
}

async function explainLost(
  error: unknown,
  reference: TaskReference,
  { word }: TargetWords,
): Promise<Failure | undefined> {
  if (!(error instanceof MCPError) || error.local) return undefined
  await forgetTask(reference)
  const run = word === undefined ? 'Run the server over HTTP' : `Run mcpwire run ${showLine(word)} --http`
  return new Failure(
    'The task ended with its server, which this command has started and which keeps tasks in memory.',
    {
      slug: 'task-gone',
      exitCode: EXIT.refused,
      hint: `${run}, then use its URL as the target. Or give the server a backend that other processes share.`,
      cause: error,
    },
  )
}
