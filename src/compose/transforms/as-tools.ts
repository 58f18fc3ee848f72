// `resourcesAsTools` and `promptsAsTools`: for hosts that know tools only.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ComponentList, itemsOf } from '../sources/lists.ts'
import type { Transform } from '../sources/transform.ts'
import { callThrough, listThrough } from './call-through.ts'
import { textArgument, toolFailure } from './own-tools.ts'
import { type LayerTool, ToolLayer } from './tool-layer.ts'

/** Adds `list_resources` and `read_resource`, which read what the caller may read. */
export function resourcesAsTools(): Transform {
  return (source) => new ComponentTools(source, resourceTools)
}

/** Adds `list_prompts` and `get_prompt`, which show the prompts that the caller may use. */
export function promptsAsTools(): Transform {
  return (source) => new ComponentTools(source, promptTools)
}

type MakeTools = (layer: ComponentTools) => readonly LayerTool[]

class ComponentTools extends ToolLayer {
  readonly #own: ReadonlyMap<string, LayerTool>

  constructor(inner: ConstructorParameters<typeof ToolLayer>[0], make: MakeTools) {
    super(inner)
    this.#own = new Map(make(this).map((one) => [one.tool.name, one]))
  }

  protected override get ownNames(): ReadonlySet<string> {
    return new Set(this.#own.keys())
  }

  protected override offer() {
    return { own: this.#own, stays: () => true }
  }

  async listAll(list: ComponentList, request: ServerRequestContext): Promise<readonly unknown[]> {
    const pages = await listThrough(this, request, list)
    return pages.flatMap((page) => itemsOf(list, page))
  }

  async ask(request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    try {
      return await callThrough(this, request, method, params)
    } catch (error) {
      if (error instanceof MCPError) return toolFailure(error.message)
      throw error
    }
  }
}

const READ_ONLY = { readOnlyHint: true, openWorldHint: false }
const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false } as const

function resourceTools(layer: ComponentTools): readonly LayerTool[] {
  return [
    {
      tool: freeze('list_resources', 'Lists the resources of this server: what read_resource can read.', NO_INPUT),
      run: async (_args, request) => {
        const [resources, resourceTemplates] = await Promise.all([
          layer.listAll('resources/list', request),
          layer.listAll('resources/templates/list', request),
        ])
        return structured({ resources, resourceTemplates })
      },
    },
    {
      tool: freeze('read_resource', 'Reads a resource of this server by its URI.', {
        type: 'object',
        properties: { uri: { type: 'string', description: 'The URI, from list_resources' } },
        required: ['uri'],
        additionalProperties: false,
      }),
      run: (args, request, params) => {
        const uri = textArgument(args, 'uri')
        if (uri === undefined) return toolFailure('Give read_resource the uri of a resource.')
        return whenDone(layer.ask(request, 'resources/read', { ...rounds(params), uri }), embedContents)
      },
    },
  ]
}

function promptTools(layer: ComponentTools): readonly LayerTool[] {
  return [
    {
      tool: freeze('list_prompts', 'Lists the prompts of this server: what get_prompt can get.', NO_INPUT),
      run: async (_args, request) => structured({ prompts: await layer.listAll('prompts/list', request) }),
    },
    {
      tool: freeze('get_prompt', 'Gets a prompt of this server, with its arguments filled in.', {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The name, from list_prompts' },
          arguments: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['name'],
        additionalProperties: false,
      }),
      run: (args, request, params) => {
        const name = textArgument(args, 'name')
        if (name === undefined) return toolFailure('Give get_prompt the name of a prompt.')
        const given = isPlainObject(args['arguments']) ? args['arguments'] : {}
        return whenDone(layer.ask(request, 'prompts/get', { ...rounds(params), name, arguments: given }), promptText)
      },
    },
  ]
}

/** The answers to questions of an earlier round. */
function rounds({ inputResponses, requestState }: JSONObject): JSONObject {
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  }
}

function embedContents(result: JSONObject): MaybePromise<JSONObject> {
  const { contents } = result
  if (!Array.isArray(contents)) return result
  return { content: contents.map((resource) => ({ type: 'resource', resource })) }
}

function promptText(result: JSONObject): MaybePromise<JSONObject> {
  const { messages } = result
  return Array.isArray(messages) ? structured({ messages }) : result
}

function structured(value: JSONObject): JSONObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

function freeze(name: string, description: string, inputSchema: JSONObject): Tool {
  return Object.freeze({ name, description, inputSchema, annotations: READ_ONLY } as unknown as Tool)
}
