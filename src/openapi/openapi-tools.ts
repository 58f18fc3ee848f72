// Tools of a document for a server of one's own.
import type { ToolDefinition } from '../mcpserver/tools/tool.ts'
import { rangeError } from '../primitives/help.ts'
import type { OpenAPIDocument } from './document/load.ts'
import { type MappedDocument, mapDocument } from './map-document.ts'
import { checkToolsOptions, type OpenAPIToolsOptions } from './options.ts'

/**
 * The operations of an OpenAPI document as tools, for the option `tools` of a server. Throws `OpenAPIError` for a document that
 * cannot be used, and `RangeError` for more than `maxTools` tools.
 *
 * @example
 * ```ts
 * import { MCPServer } from 'mcpwire'
 * import { openAPITools } from 'mcpwire/openapi'
 * const tools = await openAPITools('./petstore.yaml', { include: [{ tags: ['pets'] }] })
 * const server = new MCPServer('shop', { tools })
 * ```
 */
export async function openAPITools(
  document: OpenAPIDocument,
  options: OpenAPIToolsOptions = {},
): Promise<ToolDefinition[]> {
  checkToolsOptions(options)
  const mapped = await mapDocument(document, { ...options, as: toolsOnly(options.as) })
  checkToolCount(mapped, options.maxTools)
  return [...mapped.tools]
}

/** A list of tools has no place for resources. */
function toolsOnly(as: OpenAPIToolsOptions['as']): OpenAPIToolsOptions['as'] {
  return (operation) => ((as?.(operation) ?? 'tool') === 'tool' ? 'tool' : 'none')
}

const MAX_TOOLS = 128
const MAX_TAGS = 8

export function checkToolCount({ tools, tags }: MappedDocument, max = MAX_TOOLS): void {
  if (tools.length <= max) return
  const counts = new Map<string, number>()
  for (const list of tags.values()) {
    for (const tag of list.length === 0 ? ['(no tag)'] : list) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  }
  const byCount = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_TAGS)
  const list = byCount.map(([tag, count]) => `${tag.slice(0, 60)} ${count}`).join(', ')
  throw rangeError(
    'wrong-option',
    `The document gives ${tools.length} tools, and at most ${max} are allowed: model APIs take no more. By tag: ${list}. ` +
      'Choose some with include, put searchTools or codeMode in front of them, or raise maxTools.',
  )
}
