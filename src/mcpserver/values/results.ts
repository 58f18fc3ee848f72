// The one rule by which what a tool returns becomes a result.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONForm, PlainResult } from '../../server/results/respond.ts'
import type { ContentBlock, TextContent } from '../../types/features/content.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import { checkMedia } from './media.ts'
import { checkJSON, toJSONForm } from './plain-json.ts'

/** The members of a result that is complete in itself. An object that has others is somebody's data. */
const RESULT_MEMBERS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType'])

/**
 * Nothing is no content. Text is text. A content block is itself. A list is its items, one after the other. Everything
 * else is structured content together with its JSON text, wrapped as `{ result }` where it is no object.
 */
export function toResult(value: unknown): PlainResult | CallToolResult {
  if (value === undefined || value === null) return { result: { content: [] }, text: undefined }
  if (typeof value === 'string') return { result: { content: [toText(value)] }, text: value }
  if (Array.isArray(value)) return { content: value.filter((item) => item !== undefined).map(toBlock) }
  if (isContentBlock(value)) return { content: [checkMedia(value)] }
  const form = toJSONForm(value)
  return toPlainResult(form.text, isPlainObject(form.value) ? form : wrapForm(form))
}

/** What is said in a text and in a structure. */
export function toPlainResult(text: string, structure: JSONForm): PlainResult {
  return { result: { content: [toText(text)], structuredContent: structure.value }, text, structure }
}

/** `{ result }`, for what is no object. */
export function wrapForm({ value, text }: JSONForm): JSONForm {
  return { value: { result: value }, text: `{"result":${text}}` }
}

/** An item of a mixed list. */
function toBlock(item: unknown): ContentBlock {
  if (isContentBlock(item)) return checkMedia(item)
  return toText(typeof item === 'string' ? item : toJSONForm(item).text)
}

export function toText(text: string): TextContent {
  return { type: 'text', text }
}

/** A result that tells the model of a failure. */
export function toFailure(message: string): CallToolResult {
  return { content: [toText(message)], isError: true }
}

/**
 * A value that says it is a whole `CallToolResult`, to be sent as it is; `undefined` for somebody's data. One that says so and
 * is none is a `TypeError`: taken for data it would tell the model of success.
 */
export function toWholeResult(value: unknown): CallToolResult | undefined {
  if (!saysItIsResult(value)) return undefined
  const { content, structuredContent } = value
  if (!Array.isArray(content) || !content.every(isContentBlock)) {
    throw new TypeError('It returned a result whose content is no list of content blocks, such as { type, text }')
  }
  for (const block of content) checkMedia(block)
  if (structuredContent !== undefined) checkJSON(structuredContent)
  return value as unknown as CallToolResult
}

/** By `isError`, or by having nothing but members of a result: a list of content, structured content, or both. */
function saysItIsResult(value: unknown): value is Record<string, unknown> {
  if (!isPlainObject(value)) return false
  if (value['isError'] === true) return true
  if (!Array.isArray(value['content']) && !('structuredContent' in value)) return false
  for (const member of Object.keys(value)) if (!RESULT_MEMBERS.has(member)) return false
  return true
}

export function isInputRequired(value: unknown): value is InputRequiredResult {
  return isPlainObject(value) && value['resultType'] === 'input_required'
}

/** Whether something has the look of a content block; the kernel holds it against its shape before it is sent. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isPlainObject(value)) return false
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string'
    case 'image':
    case 'audio':
      return typeof value['data'] === 'string' && typeof value['mimeType'] === 'string'
    case 'resource_link':
      return typeof value['uri'] === 'string' && typeof value['name'] === 'string'
    case 'resource':
      return isPlainObject(value['resource']) && typeof value['resource']['uri'] === 'string'
    default:
      return false
  }
}
