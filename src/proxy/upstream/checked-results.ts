// Results of tools held against the output schemas that the source lists, for those who ask for it.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { tellsFit } from '../../schema/fits.ts'
import { type Issue, isEqual, type JSONSchema } from '../../schema/json-schema.ts'
import { createReadingEngine, type LateValidator } from '../../schema/reading-engine.ts'
import type { ListPage } from '../../server/source.ts'
import type { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { proxyFailure } from '../base/failures.ts'
import { taskIn } from '../tasks/drive-task.ts'
import { ByCaller } from './by-caller.ts'

interface Checked {
  readonly schema: JSONSchema
  /** Compiled for the first result. */
  validator: LateValidator | undefined
}

type Table = Map<string, Checked | typeof NO_SCHEMA>

/** A request whose answer may hold the result of a tool. */
export interface Answered {
  readonly caller: string
  readonly method: string
  readonly params: JSONObject
  /** Reads the list of tools anew, which teaches this. */
  readonly relist: () => Promise<void>
}

const NO_SCHEMA = null
const MAX_TOOLS = 10_000
const MAX_TASKS = 10_000

export class CheckedResults {
  readonly #source: string
  readonly #onMisfit: (message: string) => void
  readonly #engine = createReadingEngine({}, tellsFit)
  readonly #tables = new ByCaller<Table>(() => new Map())
  /** The tools that tasks came from. */
  readonly #tasks = new Map<string, string>()

  /** `onMisfit` is told of each result that is held back. */
  constructor(source: string, onMisfit: (message: string) => void) {
    this.#source = source
    this.#onMisfit = onMisfit
  }

  /** From a page of the list of tools. */
  learn(caller: string, page: ListPage): void {
    const { tools } = page as unknown as { tools?: unknown }
    if (!Array.isArray(tools)) return
    const table = this.#tables.of(caller)
    for (const tool of tools) {
      if (!isPlainObject(tool) || typeof tool['name'] !== 'string') continue
      const schema = tool['outputSchema']
      const known = table.get(tool['name'])
      if (known && isEqual(known.schema, schema)) continue
      table.set(tool['name'], schema === undefined ? NO_SCHEMA : { schema: schema as JSONSchema, validator: undefined })
    }
  }

  /** Rejects with G024 for the result of a tool that misfits, or that can't be checked. Takes all other answers. */
  async check(answered: Answered, answer: JSONObject): Promise<void> {
    const found = this.#resultIn(answered, answer)
    if (found === undefined) return
    const { tool, result } = found
    const { caller, relist } = answered
    let wasListed = false
    if (this.#tables.find(caller)?.get(tool) === undefined) {
      wasListed = true
      await relist().catch(() => {})
    }
    let misfit = await this.#misfitOf(caller, tool, result)
    if (misfit === undefined) return
    if (!wasListed) {
      // The tool may have got another schema without a word.
      this.#tables.forget(caller)
      await relist().catch(() => {})
      misfit = await this.#misfitOf(caller, tool, result)
    }
    if (misfit === undefined) return
    this.#onMisfit(misfit.message)
    throw misfit
  }

  /** Some tools have changed. */
  clear(): void {
    this.#tables.clear()
  }

  forget(caller: string): void {
    this.#tables.forget(caller)
  }

  #resultIn({ method, params }: Answered, answer: JSONObject): { tool: string; result: JSONObject } | undefined {
    if (method === 'tools/call') {
      const tool = params['name']
      if (typeof tool !== 'string') return undefined
      const task = taskIn(answer)
      if (task === undefined) return isFinal(answer) ? { tool, result: answer } : undefined
      this.#keepTask(String(task['taskId']), tool)
      return undefined
    }
    const tool = this.#tasks.get(String(params['taskId']))
    const result = method === 'tasks/result' ? answer : method === 'tasks/get' ? answer['result'] : undefined
    return tool !== undefined && isPlainObject(result) && isFinal(result) ? { tool, result } : undefined
  }

  #keepTask(id: string, tool: string): void {
    const [oldest] = this.#tasks.keys()
    if (this.#tasks.size >= MAX_TASKS && oldest !== undefined) this.#tasks.delete(oldest)
    this.#tasks.set(id, tool)
  }

  async #misfitOf(caller: string, tool: string, result: JSONObject): Promise<MCPError | undefined> {
    const table = this.#tables.of(caller)
    const known = table.get(tool)
    if (known === undefined && table.size < MAX_TOOLS) table.set(tool, NO_SCHEMA)
    if (!known) return undefined
    if (!Object.hasOwn(result, 'structuredContent')) {
      return this.#misfit(tool, '', 'structuredContent is missing')
    }
    try {
      const [issue] = await this.#issuesOf(known, result['structuredContent'])
      return issue && this.#misfit(tool, issue.instancePath, issue.message)
    } catch (cause) {
      // What cannot be checked is not trusted.
      return this.#misfit(tool, '', 'the schema itself is unusable', cause)
    }
  }

  async #issuesOf(known: Checked, value: unknown): Promise<readonly Issue[]> {
    known.validator ??= this.#engine.compile(known.schema)
    await known.validator.settling
    return known.validator.validate(value)
  }

  #misfit(tool: string, path: string, problem: string, cause?: unknown): MCPError {
    const name = JSON.stringify(tool.slice(0, 128))
    const message = `The result of the tool ${name} of '${this.#source}' does not fit its output schema: ${problem}`
    return proxyFailure('G024', this.#source, message, { data: { path: `/structuredContent${path}` }, cause })
  }
}

/** A failure of a tool, a question and an answer of an extension have no structure to hold against a schema. */
function isFinal({ resultType = 'complete', isError }: JSONObject): boolean {
  return resultType === 'complete' && isError !== true
}
