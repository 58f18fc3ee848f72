// `searchTools`: in the place of a long list, a tool that finds tools and one that calls them.

import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Source } from '../../server/source.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Transform } from '../sources/transform.ts'
import { callThrough, listThrough } from './call-through.ts'
import { SearchIndexes } from './search-index.ts'
import { type LayerTool, ToolLayer, textArgument, toolFailure } from './tool-layer.ts'

/** Options of `searchTools()`. */
export interface SearchToolsOptions {
  /** Callers who see at most so many tools get them as a list (default: 40). */
  above?: number | undefined
  /** Tools that stay in the list (default: none). */
  keep?: readonly string[] | undefined
  /** Tools that a search finds, at most (default: 5). */
  limit?: number | undefined
  /** Other names for the two tools (default: `search_tools` and `call_tool`). */
  names?:
    | {
        /** The name of the tool that searches (default: `search_tools`). */
        search?: string | undefined
        /** The name of the tool that calls (default: `call_tool`). */
        call?: string | undefined
      }
    | undefined
}

export const SEARCH_TOOLS_KEYS: KnownKeys<SearchToolsOptions> = {
  above: 'number',
  keep: 'array',
  limit: 'number',
  names: 'object',
}

/** For catalogues that are too long for a model: `search_tools` finds tools by words, `call_tool` calls them. */
export function searchTools(options: SearchToolsOptions = {}): Transform {
  checkKeys('searchTools()', options, SEARCH_TOOLS_KEYS)
  const { above = 40, limit = 5, keep = [], names = {} } = options
  checkKeys('searchTools(): names', names, { search: 'string', call: 'string' })
  assertCount('above', above, 0)
  assertCount('limit', limit, 1)
  const { search = 'search_tools', call = 'call_tool' } = names
  return (source) => new SearchLayer(source, { above, limit, keep: new Set(keep), search, call })
}

interface SearchSettings {
  readonly above: number
  readonly limit: number
  readonly keep: ReadonlySet<string>
  readonly search: string
  readonly call: string
}

const NOTHING: ReadonlyMap<string, LayerTool> = new Map()
const MAX_QUERY = 1_000

class SearchLayer extends ToolLayer {
  readonly #settings: SearchSettings
  readonly #own: ReadonlyMap<string, LayerTool>
  readonly #indexes = new SearchIndexes()

  constructor(inner: Source, settings: SearchSettings) {
    super(inner, 'searchTools()', settings.keep)
    this.#settings = settings
    const tools = [searchTool(settings), callTool(settings)]
    const runs = [
      (args: JSONObject, request: ServerRequestContext) => this.#search(args, request),
      (args: JSONObject, request: ServerRequestContext, params: JSONObject) => this.#call(args, request, params),
    ]
    this.#own = new Map(tools.map((tool, at) => [tool.name, { tool, run: runs[at] as LayerTool['run'] }]))
  }

  protected override get ownNames(): ReadonlySet<string> {
    return new Set([this.#settings.search, this.#settings.call])
  }

  protected override offer(tools: readonly Tool[]) {
    const { above, keep } = this.#settings
    if (tools.length <= above) return { own: NOTHING, stays: () => true }
    return { own: this.#own, stays: (name: string) => keep.has(name) }
  }

  #search(args: JSONObject, request: ServerRequestContext): MaybePromise<JSONObject> {
    const query = textArgument(args, 'query')
    if (query === undefined) return toolFailure(`Give ${this.#settings.search} a query: words of what you want to do.`)
    return whenDone(listThrough(this, request, 'tools/list'), (pages) => {
      const found = this.#indexes.of(pages).search(query.slice(0, MAX_QUERY), this.#settings.limit)
      const result = { tools: found.map((tool) => ({ ...tool })) }
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
    })
  }

  /** The result of the tool itself, whatever it is. */
  #call(args: JSONObject, request: ServerRequestContext, params: JSONObject): MaybePromise<JSONObject> {
    const name = textArgument(args, 'name')
    const given = args['arguments'] ?? {}
    if (name === undefined || !isPlainObject(given))
      return toolFailure(`Give ${this.#settings.call} the name of a tool and its arguments, an object.`)
    if (this.#own.has(name))
      return toolFailure(`${quote(name)} can't be called by ${this.#settings.call}. Call it directly.`)
    return callThrough(this, request, 'tools/call', { ...params, name, arguments: given })
  }
}

function searchTool({ search, call, limit }: SearchSettings): Tool {
  return Object.freeze({
    name: search,
    description: `Finds tools of this server by words of what you want to do. Gives at most ${limit} tools with their arguments; call them with ${call}.`,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words of what you want to do, or the name of a tool' } },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  } as Tool)
}

function callTool({ search, call }: SearchSettings): Tool {
  return Object.freeze({
    name: call,
    description: `Calls a tool that ${search} found, with its arguments.`,
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the tool' },
        arguments: { type: 'object', description: 'The arguments, as its inputSchema describes them' },
      },
      required: ['name'],
      additionalProperties: false,
    },
  } as Tool)
}
