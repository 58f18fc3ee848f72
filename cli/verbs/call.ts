// mcpwire call: calls a tool, with arguments by its schema, progress and questions.
import { resolve } from 'node:path'
import type { CallToolResult, Client, Tool } from 'mcpwire'
import type { TaskReference } from 'mcpwire/extensions/tasks'
import { taskExtension } from '../files/kept-tasks.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import type { Target } from '../target/target.ts'
import { prepareWidths } from '../terminal/columns.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import type { Output } from '../terminal/output.ts'
import { describeProgress, drawProgress, type Progress, startWaiting, type Waiting } from '../terminal/progress.ts'
import { createPrompter, type Prompter } from '../terminal/prompter.ts'
import { createQuestions, type Questions } from '../terminal/questions.ts'
import { showToolResult } from '../terminal/show-result.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import { readArguments } from '../values/arguments.ts'
import { askForMissing } from '../values/missing-arguments.ts'
import type { Schema } from '../values/schema-types.ts'
import { signatureOf } from '../values/signature.ts'
import { connected, expectWord, splitWords, withinTime } from './shared/connected.ts'
import type { Invocation } from './shared/invocation.ts'
import { expectSome } from './shared/no-such-list.ts'

export interface CallOptions extends ConnectionOptions {
  args?: string
  /** The old way to give single arguments. */
  arg?: readonly string[]
  save?: string
  raw?: boolean
  task?: boolean
}

const USAGE = 'call <target> <tool> [key=value ...]'

export async function callVerb(invocation: Invocation<CallOptions>): Promise<number> {
  const { options, output } = invocation
  const { target: words, rest } = splitWords(invocation)
  const [typedName, ...pairs] = rest
  const name = expectWord(typedName, 'tool', USAGE)
  checkOptions(options, output)
  const prompter = createPrompter(process)
  const progress: { questions?: Questions } = {}
  const outcome = await connected<number | TaskReference>(
    invocation,
    words,
    async (client, target) => {
      const { tool, names } = await expectSome(findTool(client, name), client, target, 'tools')
      const read = (found: Tool) => toArguments(found, [...(options.arg ?? []), ...pairs], options, prompter, output)
      if (tool === undefined && !('url' in target.entry)) throw unknownTool(name, names, target)
      const args = tool === undefined ? {} : await read(tool)
      if (options.task === true && tool === undefined) throw unknownTool(name, names, target)
      if (options.task === true && tool !== undefined) return startTask(client, tool, args, options, output)
      const waiting = startWaiting(output, `Calling ${showLine(name)}`, () => progress.questions?.isOpen === true)
      const call = (values: Record<string, unknown>) =>
        client.callTool(name, values, {
          ...withinTime(options),
          onProgress: (report) => showProgress(report, output, waiting),
        })
      try {
        const result =
          tool === undefined
            ? await (await import('./shared/unlisted-tool.ts')).callUnlisted(client, { name, call, toArguments: read })
            : await call(args)
        if (result === undefined) throw unknownTool(name, names, target)
        waiting.stop()
        const exitCode = await printToolResult(result, options, output)
        if (prompter === undefined && isUnanswered(result)) output.note(NO_TERMINAL)
        return exitCode
      } finally {
        waiting.stop()
      }
    },
    (client) => {
      progress.questions = createQuestions(prompter, output, () => client().serverInfo?.name ?? 'The server')
      return { ...progress.questions.clientOptions, extensions: [taskExtension()] }
    },
  )
  if (typeof outcome !== 'object') return outcome ?? EXIT.done
  return (await import('./shared/call-task.ts')).announceTask(invocation, words, outcome)
}

const NO_TERMINAL = 'Run the command in a terminal, where it can ask you.'

/** A legacy server says it in the text of the result; of a modern one it is an error with a remedy of its own. */
function isUnanswered({ isError, content }: CallToolResult): boolean {
  return (
    isError === true &&
    content.some((block) => block.type === 'text' && /\bdid not declare (?:elicitation|sampling)\b/.test(block.text))
  )
}

function checkOptions({ raw, task, save }: CallOptions, output: Output): void {
  if (raw === true && output.isJSON) throw usageFailure('--raw and --json exclude each other.')
  if (raw === true && output.isTerminal) {
    throw usageFailure(
      '--raw prints what the server sent, which can control a terminal.',
      'Use it with a pipe or a file.',
    )
  }
  if (task === true && (raw === true || save !== undefined)) {
    throw usageFailure('--task excludes --raw and --save.', 'Use mcpwire tasks to get the result later.')
  }
}

/** The tool, or all names where there is none. */
async function findTool(client: Client, name: string): Promise<{ tool?: Tool; names: string[] }> {
  const names: string[] = []
  for await (const tool of client.tools()) {
    if (tool.name === name) return { tool, names }
    names.push(tool.name)
  }
  return { names }
}

function unknownTool(name: string, names: readonly string[], { label }: Target): Failure {
  return new Failure(`The server has no tool "${showLine(name)}".${suggest(name, names, showLine)}`, {
    slug: 'unknown-tool',
    exitCode: EXIT.refused,
    hint: `Run \`mcpwire list ${label}\` to see all tools.`,
  })
}

async function toArguments(
  tool: Tool,
  pairs: readonly string[],
  options: CallOptions,
  prompter: Prompter | undefined,
  output: Output,
): Promise<Record<string, unknown>> {
  const schema = tool.inputSchema as Schema
  const signature = signatureOf(tool, { depth: 1 })
  const given = await readArguments({ pairs, whole: options.args }, { schema, signature })
  // Whoever gives all of them wants to see what the server says to these.
  if (options.args !== undefined) return given
  return askForMissing(given, { schema, signature, prompter, output })
}

function showProgress(report: Progress, output: Output, waiting: Waiting): void {
  if (!output.hasStatus) output.note(describeProgress(report))
  else void prepareWidths(report.message ?? '').then(() => waiting.show(drawProgress(report, output.noteWidth)))
}

async function startTask(
  client: Client,
  tool: Tool,
  args: Record<string, unknown>,
  options: CallOptions,
  output: Output,
): Promise<number | TaskReference> {
  const { checkTaskSupport, noteLateTask } = await import('./shared/call-task.ts')
  checkTaskSupport(client, tool)
  const stopNote = noteLateTask(tool, output)
  const job = await client.tasks.start(tool.name, args, withinTime(options)).finally(stopNote)
  const { reference } = job
  if (reference !== undefined) return reference
  output.note(`The server ran ${showLine(tool.name)} without a task. This is its result.`)
  return printToolResult(await job.result(withinTime(options)), options, output)
}

/** Resolves to the exit code: 1 where the tool says that it failed. */
export async function printToolResult(
  result: CallToolResult,
  { save, raw }: Pick<CallOptions, 'save' | 'raw'>,
  output: Output,
): Promise<number> {
  const saved =
    save === undefined ? undefined : await (await import('../files/save-content.ts')).saveContent(result, save)
  if (saved?.size === 0) output.note('The result has nothing to save: no image, audio or file.')
  if (output.isJSON || raw === true)
    for (const path of saved?.values() ?? []) output.note(`Saved ${showLine(resolve(path))}`)
  if (output.isJSON) output.print(showJSON(result))
  else if (raw === true) output.print(rawText(result))
  else {
    const text = showToolResult(result, saved)
    if (text !== '') output.print(text)
  }
  return result.isError === true ? EXIT.refused : EXIT.done
}

/** The text as the server sent it, or else the structured content. */
function rawText({ content, structuredContent }: CallToolResult): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return texts.length > 0 || structuredContent === undefined ? texts.join('\n') : JSON.stringify(structuredContent)
}
