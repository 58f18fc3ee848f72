// Adapts results and errors to revisions that do not have all that they contain.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { isForCaller, MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { grammarOf, type ShapeName } from '../../wire/shapes/grammar.ts'

/** Content blocks by type, with the shape that a revision has if it knows them. */
const LATER_BLOCKS: ReadonlyMap<unknown, ShapeName> = new Map([
  ['audio', 'AudioContent'],
  ['resource_link', 'ResourceLink'],
])

/**
 * The result for a revision that lacks some kinds of content: a link or an audio block becomes a line of text, and structured
 * content that is no object is removed. Returns the same object where nothing has to change.
 */
export function adaptContent(method: string, version: ProtocolVersion, result: JSONObject): JSONObject {
  if (method === 'tools/call') return withoutLooseStructure(adaptBlocks(version, result))
  if (method === 'prompts/get') return adaptMessages(version, result)
  if (method === 'tools/list') return adaptOutputSchemas(result)
  return result
}

function adaptBlocks(version: ProtocolVersion, result: JSONObject): JSONObject {
  const content = result['content']
  if (!Array.isArray(content) || content.every((block) => isKnown(version, block))) return result
  return { ...result, content: content.map((block) => (isKnown(version, block) ? block : asText(block))) }
}

function adaptMessages(version: ProtocolVersion, result: JSONObject): JSONObject {
  const messages = result['messages']
  if (!Array.isArray(messages) || messages.every((message) => isKnown(version, message?.content))) return result
  const adapted = messages.map((message) =>
    isKnown(version, message?.content) ? message : { ...message, content: asText(message.content) },
  )
  return { ...result, messages: adapted }
}

function withoutLooseStructure(result: JSONObject): JSONObject {
  if (!('structuredContent' in result) || isPlainObject(result['structuredContent'])) return result
  const { structuredContent: _left, ...rest } = result
  return rest
}

function adaptOutputSchemas(result: JSONObject): JSONObject {
  const tools = result['tools']
  if (!Array.isArray(tools) || !tools.some(hasLooseOutput)) return result
  const adapted = tools.map((tool) => {
    if (!hasLooseOutput(tool)) return tool
    const { outputSchema: _left, ...rest } = tool
    return rest
  })
  return { ...result, tools: adapted }
}

/** Before 2026-07-28 the output of a tool is an object, and its schema says so at the root. */
function hasLooseOutput(tool: unknown): tool is JSONObject {
  if (!isPlainObject(tool) || tool['outputSchema'] === undefined) return false
  const schema = tool['outputSchema']
  return !isPlainObject(schema) || schema['type'] !== 'object'
}

function isKnown(version: ProtocolVersion, block: unknown): boolean {
  const shape = isPlainObject(block) ? LATER_BLOCKS.get(block['type']) : undefined
  return shape === undefined || grammarOf(version).has(shape)
}

function asText(block: JSONObject): JSONObject {
  const { annotations } = block
  const text = block['type'] === 'resource_link' ? linkText(block) : `[audio, ${String(block['mimeType'])}]`
  return annotations === undefined ? { type: 'text', text } : { type: 'text', text, annotations }
}

function linkText({ uri, title, name }: JSONObject): string {
  return `${String(title ?? name ?? 'resource')}: ${String(uri)}`
}

/** Spec, base protocol: since 2026-07-28 a missing resource is -32602, and -32002 must not be sent any more. */
export function adaptError(error: unknown, version: ProtocolVersion): unknown {
  if (!isForCaller(error) || error.code !== ErrorCode.ResourceNotFound) return error
  if (!grammarOf(version).has('ResultType')) return error
  return new MCPError(ErrorCode.InvalidParams, error.message, error.data, { cause: error })
}
