// What a prompt's handler returns, as the messages that a client gets.
import { isPlainObject } from '../primitives/objects.ts'
import type { Role } from '../types/annotations.ts'
import type { ContentBlock } from '../types/content.ts'
import type { GetPromptResult, PromptMessage } from '../types/prompts.ts'
import { checkMedia } from './media.ts'
import { isContentBlock, toText } from './results.ts'

const RESULT_MEMBERS: ReadonlySet<string> = new Set(['messages', 'description', '_meta', 'resultType'])

/** The result for a value. What is no message in any form is a `TypeError`; an error counts as thrown. */
export function toPromptResult(value: unknown, description: string | undefined): GetPromptResult {
  if (value instanceof Error) throw value
  if (isWholePromptResult(value)) return withReadableMedia(value)
  const messages = (Array.isArray(value) ? value : [value]).map(toMessage)
  return description === undefined ? { messages } : { description, messages }
}

function toMessage(value: unknown): PromptMessage {
  if (typeof value === 'string' || isContentBlock(value)) return { role: 'user', content: toContent(value) }
  if (isPlainObject(value) && isRole(value['role']))
    return { role: value['role'], content: toContent(value['content']) }
  throw new TypeError('A prompt must return strings, content blocks or messages with a role and content')
}

function toContent(content: unknown): ContentBlock {
  if (typeof content === 'string') return toText(content)
  if (isContentBlock(content)) return checkMedia(content)
  throw new TypeError('The content of a message must be a string or a content block')
}

/** The kernel holds the rest of the messages against their shape. */
function withReadableMedia(result: GetPromptResult): GetPromptResult {
  for (const message of result.messages) if (isContentBlock(message?.content)) checkMedia(message.content)
  return result
}

function isRole(value: unknown): value is Role {
  return value === 'user' || value === 'assistant'
}

function isWholePromptResult(value: unknown): value is GetPromptResult {
  if (!isPlainObject(value) || !Array.isArray(value['messages'])) return false
  return Object.keys(value).every((member) => RESULT_MEMBERS.has(member))
}
