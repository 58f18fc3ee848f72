// mcpwire inspect: lists what a server offers, or calls a tool, reads a resource or gets a prompt.
import { type CallToolResult, Client, type ContentBlock, type GetPromptResult, type ReadResourceResult } from 'mcpwire'
import { type ClientTarget, sse, streamableHttp } from 'mcpwire/client'
import { fileTokenStore, stdio } from 'mcpwire/node'
import { type JSONObject, PROTOCOL_VERSIONS } from 'mcpwire/types'
import { explainStartFailure, StderrLines } from '../errors/start-failure.ts'
import type { ServerEntry } from '../install/server-entry.ts'
import { type ConfiguredTargetOptions, findTarget, isRunByUs } from '../target/target.ts'
import { answerQuestions } from '../terminal/answer-questions.ts'
import { usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { createDeferred, isPlainObject } from '../terminal/primitives.ts'
import { createPrompter, type Prompter } from '../terminal/prompter.ts'
import { listServer, showOverview } from '../terminal/show-server.ts'
import { showJSON, showLine, showText } from '../terminal/terminal-text.ts'
import type { InspectPageOptions } from './inspect-page.ts'
import type { Invocation } from './invocation.ts'

export interface InspectOptions extends WrittenArguments, ConfiguredTargetOptions, InspectPageOptions {
  call?: string
  read?: string
  prompt?: string
  mode?: string
  /** Seconds. */
  timeout?: number
  login?: boolean
}

/** Without a terminal, with `--json` and for one thing it lists and calls, as scripts use it; else it opens the page. */
export async function inspectVerb(invocation: Invocation<InspectOptions>): Promise<number> {
  const { call, read, prompt, open, port, host, allowRemote } = invocation.options
  const isForScripts = invocation.output.isJSON || [call, read, prompt].some((name) => name !== undefined)
  const isForPage = open === false || allowRemote === true || port !== undefined || host !== undefined
  if (isForScripts || !(isForPage || process.stdout.isTTY)) return inspectOnce(invocation)
  const { inspectPage } = await import('./inspect-page.ts')
  return inspectPage(invocation)
}

/** Resolves to the exit code: 1 where the tool says that it failed. */
async function inspectOnce(invocation: Invocation<InspectOptions>): Promise<number> {
  const { words, afterDashes = [], options, output, interruption } = invocation
  if (words.length > 1) {
    throw usageFailure(`Unexpected argument "${words.slice(1).join(' ')}".`, 'A command stands after --.')
  }
  const entry = await findTarget([...words, ...afterDashes], options, output)
  const modes = ['auto', 'modern', 'legacy', ...PROTOCOL_VERSIONS]
  if (options.mode !== undefined && !modes.includes(options.mode)) {
    throw usageFailure(`Unknown mode "${options.mode}".`, `Use one of: ${modes.join(', ')}.`)
  }
  if ([options.call, options.read, options.prompt].filter((name) => name !== undefined).length > 1) {
    throw usageFailure('--call, --read and --prompt exclude each other.')
  }
  const hasArguments = options.arg !== undefined || options.args !== undefined
  if (hasArguments && options.call === undefined && options.prompt === undefined) {
    throw usageFailure('--arg and --args need --call or --prompt.')
  }
  const lines = new StderrLines(isRunByUs(entry), (line) => output.note(`[stderr] ${showLine(line)}`))
  const prompter = createPrompter(process)
  const client = await createClient(await toClientTarget(entry, options, lines), options, output, prompter)
  const interrupted = createDeferred<never>()
  interruption.addEventListener('abort', () => interrupted.reject(interruption.reason))
  const work = open(client, entry, lines).then(() => ask(client, options, output))
  try {
    const answer = await Promise.race([work, output.readerGone, interrupted.promise])
    if (answer === undefined) return 0
    output.print(output.isJSON ? showJSON(answer.value) : answer.text)
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
    const explained = 'command' in entry ? explainStartFailure(error, isRunByUs(entry)) : undefined
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
  const { mode } = options
  const timeoutMs = options.timeout && options.timeout * 1000
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
    // Malformed messages of the server are what an inspection is for.
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
    if (login === true) throw usageFailure('--login needs a URL target.')
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
  const value = await listServer(client)
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

/** `--timeout` is a limit in all: progress does not extend it. */
function withinTime({ timeout }: InspectOptions): { maxTotalMs?: number } {
  return timeout === undefined ? {} : { maxTotalMs: timeout * 1000 }
}

export function showToolResult({ content, structuredContent }: CallToolResult): string {
  const shown = content.map(showBlock)
  const isRepeated = content.some((block) => block.type === 'text' && repeatsStructured(block.text, structuredContent))
  if (structuredContent !== undefined && !isRepeated) shown.push(showJSON(structuredContent))
  return shown.join('\n')
}

export function showContents({ contents }: ReadResourceResult): string {
  return contents
    .map((item) =>
      'text' in item ? showText(item.text) : `[${showLine(item.uri)}: ${showBytes(item.blob, item.mimeType)}]`,
    )
    .join('\n')
}

export function showPrompt({ messages }: GetPromptResult): string {
  return messages.map(({ role, content }) => `${role}: ${showBlock(content)}`).join('\n')
}

function showBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return showText(block.text)
    case 'image':
    case 'audio':
      return `[${block.type}: ${showBytes(block.data, block.mimeType)}]`
    case 'resource_link':
      return `[link: ${showLine(block.name)} ${showLine(block.uri)}]`
    case 'resource':
      return showContents({ contents: [block.resource] })
    default:
      return showJSON(block)
  }
}

function showBytes(base64: string, mimeType: string | undefined): string {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='))
  const bytes = Math.floor(((base64.length - padding) * 3) / 4)
  return `${showLine(mimeType ?? 'application/octet-stream')}, ${bytes.toLocaleString('en')} bytes`
}

/** A tool's text is usually its structured content once more, or the value that is wrapped in it. */
function repeatsStructured(text: string, structured: unknown): boolean {
  const wrapped = isPlainObject(structured) && Object.keys(structured).length === 1 ? structured['result'] : undefined
  if (wrapped === text) return true
  const equivalents = [structured, wrapped].filter((value) => value !== undefined).map((value) => JSON.stringify(value))
  try {
    return equivalents.includes(JSON.stringify(JSON.parse(text)))
  } catch {
    return false
  }
}

export interface WrittenArguments {
  /** `key=value`, any number of them. */
  arg?: readonly string[]
  /** All of them as one JSON object. */
  args?: string | undefined
}

/** `schemaOf` is asked only where a value could be meant in two ways. */
export async function toToolArguments(
  written: WrittenArguments,
  schemaOf: () => Promise<{ properties?: Record<string, unknown> } | undefined>,
): Promise<JSONObject> {
  const given = written.args === undefined ? {} : parseObject(written.args)
  const pairs = written.arg ?? []
  if (pairs.length === 0) return given
  const properties = (await schemaOf())?.properties ?? {}
  const named = splitPairs(pairs).map(([key, text]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    return [key, isText(schema, text) ? text : parseValue(text)] as const
  })
  return { ...given, ...Object.fromEntries(named) } as JSONObject
}

/** The arguments of a prompt are all texts. */
export function toPromptArguments(written: WrittenArguments): Record<string, string> {
  const given = Object.entries(written.args === undefined ? {} : parseObject(written.args))
  const texts = given.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const)
  return Object.fromEntries([...texts, ...splitPairs(written.arg ?? [])])
}

function splitPairs(pairs: readonly string[]): [key: string, text: string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf('=')
    if (at < 1) throw usageFailure(`--arg ${pair} is not of the form key=value.`)
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
}

function parseObject(text: string): JSONObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw usageFailure(`--args is not JSON: ${(cause as Error).message}`)
  }
  if (!isPlainObject(value)) throw usageFailure('--args must be a JSON object, as in \'{"city":"Oslo"}\'')
  return value as JSONObject
}

/** Numbers, `true`, lists and objects are written as JSON; all else is text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Where the tool wants text, or text or nothing, `12` and `true` are texts. */
function isText(schema: unknown, text: string): boolean {
  if (!isPlainObject(schema)) return false
  const types = [schema['type']].flat()
  if (text === 'null' && types.includes('null')) return false
  return types.includes('string') && types.every((type) => type === 'string' || type === 'null')
}
