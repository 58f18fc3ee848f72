// mcpwire inspect: looks at a server, or calls one thing of it.
import { Client } from 'mcpwire'
import { type ClientTarget, sse, streamableHttp } from 'mcpwire/client'
import { fileTokenStore, stdio } from 'mcpwire/node'
import { answerQuestions } from './answer-questions.ts'
import { usageFailure } from './failure.ts'
import type { Output } from './output.ts'
import type { Prompter } from './prompter.ts'
import type { ServerEntry } from './server-entry.ts'
import { showContents, showPrompt, showToolResult } from './show-result.ts'
import { lookAround, showOverview } from './show-server.ts'
import { explainStart, StderrLines } from './start-failure.ts'
import { isRunByUs } from './target.ts'
import { showJSON, showLine } from './terminal-text.ts'
import { toPromptArguments, toToolArguments, type WrittenArguments } from './tool-arguments.ts'

export interface InspectOptions extends WrittenArguments {
  call?: string
  read?: string
  prompt?: string
  mode?: string
  timeoutMs?: number
  login?: boolean
  json?: boolean
}

/** Resolves to the exit code: 1 where the tool says that it failed. */
export async function inspect(
  entry: ServerEntry,
  options: InspectOptions,
  output: Output,
  prompter?: Prompter,
): Promise<number> {
  if ([options.call, options.read, options.prompt].filter((name) => name !== undefined).length > 1) {
    throw usageFailure('--call, --read and --prompt go one at a time')
  }
  const hasArguments = options.arg !== undefined || options.args !== undefined
  if (hasArguments && options.call === undefined && options.prompt === undefined) {
    throw usageFailure('--arg and --args go with --call or --prompt')
  }
  const lines = new StderrLines(isRunByUs(entry), (line) => output.note(`[stderr] ${showLine(line)}`))
  const client = await createClient(await toClientTarget(entry, options, lines), options, output, prompter)
  const work = open(client, entry, lines).then(() => ask(client, options, output))
  try {
    const answer = await Promise.race([work, output.readerGone])
    if (answer === undefined) return 0
    output.print(options.json === true ? showJSON(answer.value) : answer.text)
    return answer.exitCode ?? 0
  } finally {
    work.catch(() => {})
    await client.close()
  }
}

async function open(client: Client, entry: ServerEntry, lines: StderrLines): Promise<void> {
  try {
    await client.open()
  } catch (error) {
    const explained = 'command' in entry ? explainStart(error, isRunByUs(entry)) : undefined
    lines.release({ withoutLast: explained?.repeatedLines ?? 0 })
    throw explained?.failure ?? error
  }
  lines.release()
}

async function createClient(
  target: ClientTarget,
  options: InspectOptions,
  output: Output,
  prompter: Prompter | undefined,
): Promise<Client> {
  const { mode, timeoutMs } = options
  const client: Client = new Client(target, {
    ...(prompter !== undefined && {
      onElicitation: answerQuestions(prompter, output, () => client.serverInfo?.name ?? 'The server'),
    }),
    ...(mode !== undefined && { mode: mode as 'auto' }),
    ...(timeoutMs !== undefined && { timeoutMs, probeTimeoutMs: timeoutMs }),
    logLevel: 'info',
    onLog: ({ level, logger, data }) => {
      const from = logger === undefined ? level : `${level} ${logger}`
      output.note(`[${showLine(from)}] ${showLine(typeof data === 'string' ? data : JSON.stringify(data))}`)
    },
    // Damaged messages are the server's business, and what one looks for here.
    onFault: (fault) => output.note(`mcpwire: ${showLine(fault.message)}`),
  })
  return client
}

async function toClientTarget(
  entry: ServerEntry,
  { login }: InspectOptions,
  lines: StderrLines,
): Promise<ClientTarget> {
  if ('command' in entry) {
    if (login === true) throw usageFailure('--login is for servers that have a URL')
    return stdio({ ...entry, stderr: lines.take })
  }
  const { url, headers } = entry
  if (login === true) {
    const { oauth } = await import('mcpwire/auth')
    const auth = oauth({ clientName: 'mcpwire', store: fileTokenStore() })
    return entry.type === 'sse' ? sse(url, { headers, auth }) : streamableHttp(url, { headers, auth })
  }
  if (entry.type === 'sse') return sse(url, { headers })
  // A bare URL may also turn out to speak the older HTTP+SSE.
  return Object.keys(headers).length === 0 ? url : streamableHttp(url, { headers })
}

interface Answer {
  text: string
  value: unknown
  exitCode?: number
}

async function ask(client: Client, options: InspectOptions, output: Output): Promise<Answer> {
  const { call, read, prompt } = options
  if (call !== undefined) return callTool(client, call, options, output)
  if (read !== undefined) {
    const value = await client.readResource(read, withinTime(options))
    return { text: showContents(value), value }
  }
  if (prompt !== undefined) {
    const value = await client.getPrompt(prompt, toPromptArguments(options), withinTime(options))
    return { text: showPrompt(value), value }
  }
  const value = await lookAround(client)
  return { text: showOverview(value, output.paint), value }
}

async function callTool(client: Client, name: string, options: InspectOptions, output: Output): Promise<Answer> {
  const args = await toToolArguments(options, async () => {
    for await (const tool of client.tools()) if (tool.name === name) return tool.inputSchema
    return undefined
  })
  const value = await client.callTool(name, args, {
    ...withinTime(options),
    onProgress: ({ progress, total, message }) => {
      const share = total === undefined ? `${progress}` : `${progress} of ${total}`
      output.note(showLine(message === undefined ? share : `${share}: ${message}`))
    },
  })
  return { text: showToolResult(value), value, exitCode: value.isError === true ? 1 : 0 }
}

/** Progress is a sign of life, but whoever sets a limit means it. */
function withinTime({ timeoutMs }: InspectOptions): { maxTotalMs?: number } {
  return timeoutMs === undefined ? {} : { maxTotalMs: timeoutMs }
}
