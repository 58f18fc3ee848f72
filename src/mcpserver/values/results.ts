// The rules by which what a handler returns becomes a result: one for tools, one for resources, one for prompts.
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONForm, PlainResult } from '../../server/results/respond.ts'
import type { ContentBlock, Role, TextContent } from '../../types/features/content.ts'
import type { GetPromptResult, PromptMessage } from '../../types/features/prompts.ts'
import type { BlobResourceContents, ReadResourceResult, TextResourceContents } from '../../types/features/resources.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import { checkBlob, checkMedia, isBytes, toBase64 } from './media.ts'
import { checkJSON, toJSONForm } from './plain-json.ts'

/** The members of a `CallToolResult`. An object with other members is data. */
const TOOL_RESULT_MEMBERS: ReadonlySet<string> = new Set([
  'content',
  'structuredContent',
  'isError',
  '_meta',
  'resultType',
])

/**
 * `undefined` and `null` become no content, a string becomes text, a content block is sent as it is, and a list becomes its items.
 * Everything else becomes structured content and its JSON text, wrapped as `{ result }` if it is not an object.
 */
export function toResult(value: unknown): PlainResult | CallToolResult {
  if (value === undefined || value === null) return { result: { content: [] }, text: undefined }
  if (typeof value === 'string') return { result: { content: [toTextBlock(value)] }, text: value }
  if (Array.isArray(value)) return { content: value.filter((item) => item !== undefined).map(toBlock) }
  if (isContentBlock(value)) return { content: [checkMedia(value)] }
  const form = toJSONForm(value)
  return toPlainResult(form.text, isPlainObject(form.value) ? form : wrapForm(form))
}

/** A result with a text and structured content. */
export function toPlainResult(text: string, structure: JSONForm): PlainResult {
  return { result: { content: [toTextBlock(text)], structuredContent: structure.value }, text, structure }
}

/** `{ result }`, for values that are not objects. */
export function wrapForm({ value, text }: JSONForm): JSONForm {
  return { value: { result: value }, text: `{"result":${text}}` }
}

/** An item of a mixed list. */
function toBlock(item: unknown): ContentBlock {
  if (isContentBlock(item)) return checkMedia(item)
  return toTextBlock(typeof item === 'string' ? item : toJSONForm(item).text)
}

export function toTextBlock(text: string): TextContent {
  return { type: 'text', text }
}

/** A result that tells the model that the tool failed. */
export function toToolFailure(message: string): CallToolResult {
  return { content: [toTextBlock(message)], isError: true }
}

/**
 * A value that claims to be a whole `CallToolResult`, to be sent as it is; `undefined` for data. Throws `TypeError` if it is not a
 * valid one: as data, it would look like a success to the model.
 */
export function toWholeResult(value: unknown): CallToolResult | undefined {
  if (!claimsToBeResult(value)) return undefined
  const { content, structuredContent } = value
  if (!Array.isArray(content) || !content.every(isContentBlock)) {
    throw typeError(
      'wrong-result',
      'The tool returned a result whose content is not a list of content blocks, such as { type, text }.',
    )
  }
  for (const block of content) checkMedia(block)
  if (structuredContent !== undefined) checkJSON(structuredContent)
  return value as unknown as CallToolResult
}

/**
 * What a tool yielded, as one value: the list of its items or, where some are whole results, one result of all. It has the content
 * of all items in order, is an error if one of them is, and has the last structured content.
 */
export function joinItems(items: readonly unknown[]): unknown {
  const results = items.map(toWholeResult)
  const whole = results.filter((result) => result !== undefined)
  if (whole.length === 0) return items
  return {
    ...Object.assign({}, ...whole),
    content: items.flatMap((item, at) => (item === undefined ? [] : (results[at]?.content ?? [toBlock(item)]))),
    ...(whole.some(({ isError }) => isError === true) && { isError: true }),
  }
}

/** By `isError`, or by having only members of a result: a list of content, structured content, or both. */
function claimsToBeResult(value: unknown): value is Record<string, unknown> {
  if (!isPlainObject(value)) return false
  if (value['isError'] === true) return true
  if (!Array.isArray(value['content']) && !('structuredContent' in value)) return false
  for (const member of Object.keys(value)) if (!TOOL_RESULT_MEMBERS.has(member)) return false
  return true
}

/** Whether a value looks like a content block. Its shape is checked before it is sent. */
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

type Contents = TextResourceContents | BlobResourceContents

const READ_RESULT_MEMBERS: ReadonlySet<string> = new Set(['contents', '_meta', 'resultType', 'ttlMs', 'cacheScope'])

/**
 * The result for a value; `undefined` if the reader returned nothing or an empty list of contents, which means that there is no
 * such resource. A returned error counts as thrown.
 */
export function toReadResult(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
): ReadResourceResult | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof Error) throw value
  if (isWholeReadResult(value)) return value.contents.length === 0 ? undefined : withCheckedBlobs(value)
  if (isContentsList(value)) return withCheckedBlobs({ contents: value })
  return { contents: [toResourceContents(value, uri, mimeType)] }
}

function toResourceContents(value: unknown, uri: string, mimeType: string | undefined): Contents {
  if (typeof value === 'string') return { uri, mimeType: mimeType ?? 'text/plain', text: value }
  if (isBytes(value)) return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value) }
  if (isContents(value)) return checkBlob(value)
  return { uri, mimeType: mimeType ?? 'application/json', text: toJSONForm(value).text }
}

function withCheckedBlobs(result: ReadResourceResult): ReadResourceResult {
  for (const contents of result.contents) checkBlob(contents)
  return result
}

function isWholeReadResult(value: unknown): value is ReadResourceResult {
  if (!isPlainObject(value) || !Array.isArray(value['contents'])) return false
  return Object.keys(value).every((member) => READ_RESULT_MEMBERS.has(member)) && value['contents'].every(isContents)
}

/** An empty list is data: a result without contents would mean that the resource exists and has nothing to read. */
function isContentsList(value: unknown): value is Contents[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContents)
}

function isContents(value: unknown): value is Contents {
  if (!isPlainObject(value) || typeof value['uri'] !== 'string') return false
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string'
}

const PROMPT_RESULT_MEMBERS: ReadonlySet<string> = new Set(['messages', 'description', '_meta', 'resultType'])

/** The result for a value. Throws `TypeError` if it is not a message in any form. A returned error counts as thrown. */
export function toPromptResult(value: unknown, description: string | undefined): GetPromptResult {
  if (value instanceof Error) throw value
  if (isWholePromptResult(value)) return withCheckedMedia(value)
  const messages = (Array.isArray(value) ? value : [value]).map(toMessage)
  return description === undefined ? { messages } : { description, messages }
}

function toMessage(value: unknown): PromptMessage {
  if (typeof value === 'string' || isContentBlock(value)) return { role: 'user', content: toPromptContent(value) }
  if (isPlainObject(value) && isRole(value['role']))
    return { role: value['role'], content: toPromptContent(value['content']) }
  throw typeError(
    'wrong-result',
    'The prompt returned a value that is not a message. Return strings, content blocks or messages with a role and content.',
  )
}

function toPromptContent(content: unknown): ContentBlock {
  if (typeof content === 'string') return toTextBlock(content)
  if (isContentBlock(content)) return checkMedia(content)
  throw typeError('wrong-result', 'The prompt returned a message whose content is not a string or a content block.')
}

/** The rest of the shape is checked before it is sent. */
function withCheckedMedia(result: GetPromptResult): GetPromptResult {
  for (const message of result.messages) if (isContentBlock(message?.content)) checkMedia(message.content)
  return result
}

function isRole(value: unknown): value is Role {
  return value === 'user' || value === 'assistant'
}

function isWholePromptResult(value: unknown): value is GetPromptResult {
  if (!isPlainObject(value) || !Array.isArray(value['messages'])) return false
  return Object.keys(value).every((member) => PROMPT_RESULT_MEMBERS.has(member))
}
