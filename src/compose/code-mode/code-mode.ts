// `codeMode`: one tool that runs a script over all others, in a sandbox.
import { platform } from '#platform'
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { assertCount, checkKeys, givenOf, type KnownKeys, type Some } from '../../primitives/options.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Source } from '../../server/source.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Transform } from '../sources/transform.ts'
import { callThrough } from '../transforms/call-through.ts'
import { textArgument, toolFailure } from '../transforms/own-tools.ts'
import { SearchIndexes } from '../transforms/search-index.ts'
import { type LayerTool, ToolLayer } from '../transforms/tool-layer.ts'
import { ScriptCalls } from './calls.ts'
import { type Journal, readJournal, Suspended, writeJournal } from './journal.ts'
import type { Sandbox, SandboxLimits, SandboxOutcome } from './sandbox.ts'

/** Options of `codeMode()`. */
export interface CodeModeOptions {
  /** Runs the scripts (default: QuickJS in a thread, on Node, with its two packages). */
  sandbox?: Sandbox | undefined
  /** What one script may use (default: 30 s, 64 MB, 50 calls, 8 at once, 100,000 characters). */
  limits?: Some<SandboxLimits> | undefined
  /** Tools that stay in the list (default: none). */
  keep?: readonly string[] | undefined
}

const LIMITS: SandboxLimits = { timeMs: 30_000, memoryMB: 64, calls: 50, callsAtOnce: 8, outputLength: 100_000 }
const MAX_CODE = 100_000
/** For `describe_tools`: more definitions than any model reads. */
const MAX_NAMES = 100

export const CODE_MODE_KEYS: KnownKeys<CodeModeOptions> = { sandbox: 'object', limits: 'object', keep: 'array' }

export const SANDBOX_LIMITS_KEYS: KnownKeys<SandboxLimits> = {
  timeMs: 'number',
  memoryMB: 'number',
  calls: 'number',
  callsAtOnce: 'number',
  outputLength: 'number',
}

/**
 * In the place of the list: `search_tools`, `describe_tools` and `run_code`, which runs a script that calls the tools. A script sees
 * no network, no files, no environment; its calls pass all checks that calls of the client pass.
 */
export function codeMode(options: CodeModeOptions = {}): Transform {
  checkKeys('codeMode()', options, CODE_MODE_KEYS)
  const { sandbox, limits: wanted = {}, keep = [] } = options
  checkKeys('codeMode(): limits', wanted, SANDBOX_LIMITS_KEYS)
  const limits = givenOf(wanted)
  for (const [name, value] of Object.entries(limits)) assertCount(`limits.${name}`, value, 1)
  if (sandbox !== undefined && typeof sandbox.run !== 'function')
    throw typeError('wrong-option', 'The option sandbox of codeMode() must be an object with a function run.')
  return (source) => new CodeLayer(source, sandbox, { ...LIMITS, ...limits }, new Set(keep))
}

class CodeLayer extends ToolLayer {
  readonly #limits: SandboxLimits
  readonly #keep: ReadonlySet<string>
  readonly #own: ReadonlyMap<string, LayerTool>
  readonly #indexes = new SearchIndexes()
  #sandbox: MaybePromise<Sandbox> | undefined

  constructor(inner: Source, sandbox: Sandbox | undefined, limits: SandboxLimits, keep: ReadonlySet<string>) {
    super(inner, 'codeMode()', keep)
    this.#sandbox = sandbox
    this.#limits = limits
    this.#keep = keep
    const tools: LayerTool[] = [
      { tool: SEARCH, run: (args, request) => this.#search(args, request) },
      { tool: DESCRIBE, run: (args, request) => this.#describe(args, request) },
      { tool: RUN, run: (args, request, params) => this.#run(args, request, params) },
    ]
    this.#own = new Map(tools.map((one) => [one.tool.name, one]))
  }

  protected override get ownNames(): ReadonlySet<string> {
    return new Set(this.#own.keys())
  }

  protected override offer() {
    return { own: this.#own, stays: (name: string) => this.#keep.has(name) }
  }

  #search(args: JSONObject, request: ServerRequestContext): MaybePromise<JSONObject> {
    const query = textArgument(args, 'query')
    if (query === undefined) return toolFailure('Give search_tools a query: words of what you want to do.')
    return whenDone(this.tools(request), (tools) => {
      const found = this.#indexes.of(tools).search(query.slice(0, 1_000), 10)
      return structured({ tools: found.map(({ name, title, description }) => ({ name, title, description })) })
    })
  }

  #describe(args: JSONObject, request: ServerRequestContext): MaybePromise<JSONObject> {
    const names = args['names']
    if (!Array.isArray(names)) return toolFailure('Give describe_tools the names of tools, a list.')
    if (names.length > MAX_NAMES) return toolFailure(`Give describe_tools at most ${MAX_NAMES} names at a time.`)
    const wanted = new Set<unknown>(names)
    return whenDone(this.tools(request), (tools) => structured({ tools: tools.filter(({ name }) => wanted.has(name)) }))
  }

  async #run(args: JSONObject, request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    const code = textArgument(args, 'code')
    if (code === undefined || code.length > MAX_CODE)
      return toolFailure(`Give run_code a script of at most ${MAX_CODE} characters.`)
    const journal = readJournal(params)
    const stop = new AbortController()
    const signal = AbortSignal.any([request.signal, stop.signal])
    const calls = new ScriptCalls(request)
    let suspended: Suspended | undefined
    let next = 0
    const call = async (name: string, given: JSONObject): Promise<unknown> => {
      const at = next++
      try {
        return await calls.follow(this.#callTool(journal, at, name, given, calls.request, params))
      } catch (error) {
        if (!(error instanceof Suspended)) throw error
        suspended ??= error
        stop.abort()
        return new Promise(() => {})
      }
    }
    try {
      const sandbox = await this.#load()
      const outcome = await sandbox.run(code, { call, signal, limits: this.#limits })
      if (suspended === undefined) return toResult(outcome)
      // What they do must be in the journal, or the next round does it again.
      await calls.whenDone(this.#limits.timeMs)
      return writeJournal(journal, suspended)
    } finally {
      calls.stop()
    }
  }

  /** A call of an earlier round is not made again: the script gets what it got then. */
  async #callTool(
    journal: Journal,
    at: number,
    name: string,
    args: JSONObject,
    request: ServerRequestContext,
    params: JSONObject,
  ): Promise<unknown> {
    if (this.#own.has(name)) throw new Error(`${name} can't be called by a script.`)
    const known = journal.find(at, name, args)
    if (known !== undefined) return readValue(known)
    const { _meta } = params
    const rounds = journal.roundOf(at, params)
    const result = await this.#ask(request, { ...(_meta !== undefined && { _meta }), name, arguments: args, ...rounds })
    if (result['resultType'] === 'input_required') throw new Suspended(at, name, args, result)
    journal.add(at, name, args, result)
    return readValue(result)
  }

  async #ask(request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    try {
      return await callThrough(this, request, 'tools/call', params)
    } catch (error) {
      // Messages of other errors are for the author only.
      throw error instanceof MCPError ? error : new Error('The tool failed.')
    }
  }

  async #load(): Promise<Sandbox> {
    this.#sandbox ??= platform.createSandbox() as Promise<Sandbox>
    return this.#sandbox
  }
}

/** What a script gets of a result: its structured content, else its text, else its content. */
function readValue(result: JSONObject): unknown {
  const { content, structuredContent, isError } = result
  const texts = (Array.isArray(content) ? content : []).flatMap((block: unknown) =>
    isPlainObject(block) && block['type'] === 'text' ? [String(block['text'])] : [],
  )
  if (isError === true) throw new Error(texts.join('\n') || 'The tool failed.')
  if (structuredContent !== undefined) return structuredContent
  return texts.length > 0 || !Array.isArray(content) || content.length === 0 ? texts.join('\n') : content
}

function toResult(outcome: SandboxOutcome): JSONObject {
  const logs = outcome.logs.length === 0 ? [] : [{ type: 'text', text: `console:\n${outcome.logs.join('\n')}` }]
  if (!outcome.ok) {
    const place = outcome.line === undefined ? '' : ` (line ${outcome.line})`
    return { content: [{ type: 'text', text: `${outcome.message}${place}` }, ...logs], isError: true }
  }
  const { value } = outcome
  if (value === undefined) return { content: logs }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { content: [{ type: 'text', text }, ...logs], ...(isPlainObject(value) && { structuredContent: value }) }
}

function structured(value: JSONObject): JSONObject {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: JSON.parse(JSON.stringify(value)),
  }
}

function listed(name: string, description: string, properties: JSONObject, isReadOnly: boolean): Tool {
  return Object.freeze({
    name,
    description,
    inputSchema: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    ...(isReadOnly && { annotations: { readOnlyHint: true, openWorldHint: false } }),
  } as Tool)
}

const SEARCH = listed(
  'search_tools',
  'Finds tools of this server by words. Gives names and descriptions; describe_tools gives their arguments.',
  { query: { type: 'string', description: 'Words of what you want to do' } },
  true,
)
const DESCRIBE = listed(
  'describe_tools',
  'Gives the whole definitions of tools, with the schemas of their arguments and results.',
  { names: { type: 'array', items: { type: 'string' }, maxItems: MAX_NAMES } },
  true,
)
const RUN = listed(
  'run_code',
  'Runs JavaScript, the body of an async function: await tools.name(args) calls a tool and gives its structured result or its text, and throws ToolError; return gives the result. There is no network, no files, no timers but sleep(ms).',
  { code: { type: 'string', description: 'For example: const a = await tools.add({ a: 1, b: 2 }); return a' } },
  false,
)
