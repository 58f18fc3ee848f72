// What a view may do with the server that it came from: call the tools that are for apps, and read resources.

import type { DispatchContext } from '../../../dispatcher/dispatcher.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { quoteShort } from '../../../primitives/quote.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { Tool } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { AppHostOptions, ViewServer } from './host-options.ts'
import { mayCall } from './tools.ts'

/** More tools than this are not looked at. */
const MAX_TOOLS = 10_000
const MAX_SHOWN = 128

/** Requests of the view that the server answers, by method. */
export const SERVER_METHODS: ReadonlySet<string> = new Set(['tools/call', 'tools/list', 'resources/read'])

export class ViewCalls {
  readonly #client: ViewServer
  readonly #onToolCall: AppHostOptions['onToolCall']
  /** Those of this very server, by name: a view can't name a tool of another one. */
  #tools: Promise<ReadonlyMap<string, Tool>> | undefined

  constructor(client: ViewServer, onToolCall: AppHostOptions['onToolCall']) {
    this.#client = client
    this.#onToolCall = onToolCall
  }

  /** Reads the tools again when the view next needs them. */
  forgetTools(): void {
    this.#tools = undefined
  }

  async answer(context: DispatchContext, method: string, params: JSONObject): Promise<JSONObject> {
    try {
      if (method === 'tools/list') return { tools: [...(await this.#list()).values()].filter(mayCall) }
      return method === 'tools/call' ? await this.#call(context, params) : await this.#read(context, params)
    } catch (error) {
      // The server's answer is meant for the view. Our own troubles are not.
      if (error instanceof MCPError && !error.local) throw MCPError.from(error.toErrorData())
      throw error
    }
  }

  async #call(context: DispatchContext, { name, arguments: given = {} }: JSONObject): Promise<JSONObject> {
    if (typeof name !== 'string') throw invalid('name must be a string')
    if (!isPlainObject(given)) throw invalid('arguments must be an object')
    const tool = (await this.#list()).get(name)
    if (tool === undefined || !mayCall(tool)) throw notForApps(name)
    if ((await this.#onToolCall?.({ tool, arguments: given })) === false) throw refused(name)
    const onProgress = (at: { progress: number; total?: number; message?: string }) =>
      void context.reportProgress(at.progress, at.total, at.message)
    return (await this.#client.callTool(name, given, { signal: context.signal, onProgress })) as JSONObject
  }

  async #read(context: DispatchContext, { uri }: JSONObject): Promise<JSONObject> {
    if (typeof uri !== 'string') throw invalid('uri must be a string')
    return { ...(await this.#client.readResource(uri, { signal: context.signal })) }
  }

  #list(): Promise<ReadonlyMap<string, Tool>> {
    this.#tools ??= this.#readTools().catch((error: unknown) => {
      this.#tools = undefined
      throw error
    })
    return this.#tools
  }

  async #readTools(): Promise<ReadonlyMap<string, Tool>> {
    const tools = new Map<string, Tool>()
    for await (const tool of this.#client.tools()) {
      if (!tools.has(tool.name)) tools.set(tool.name, tool)
      if (tools.size >= MAX_TOOLS) break
    }
    return tools
  }
}

export function invalid(problem: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, `Invalid params: ${problem}`)
}

/** The same for a tool that is not there, so that a view can't find out what else the server has. */
function notForApps(name: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, `The tool ${quoteShort(name, MAX_SHOWN)} is not available to this view`)
}

function refused(name: string): MCPError {
  return new MCPError(ErrorCode.InvalidRequest, `The host refused the call of ${quoteShort(name, MAX_SHOWN)}`)
}
