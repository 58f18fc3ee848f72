// The rules for tool use in sampling messages: each use is resolved at once, completely, and by nothing else.
import { contentAsList, type SamplingMessage } from '../types/features/sampling.ts'

/** The first message that breaks a rule, and which; `undefined` when none does. */
export function findBrokenToolUse(messages: readonly SamplingMessage[]): string | undefined {
  let open: ReadonlySet<string> = new Set()
  for (const [index, message] of messages.entries()) {
    const rule = brokenRole(message) ?? brokenResults(open, message) ?? brokenIds(message)
    if (rule !== undefined) return `messages[${index}]: ${rule}`
    open = new Set(toolUseIds(message))
  }
  if (open.size === 0) return undefined
  return `messages[${messages.length - 1}]: no message follows that resolves its tool_use blocks`
}

function brokenRole(message: SamplingMessage): string | undefined {
  const blocks = contentAsList(message)
  const results = blocks.filter(({ type }) => type === 'tool_result').length
  if (results > 0 && message.role !== 'user') return 'tool_result blocks belong in a user message'
  if (results > 0 && results < blocks.length) {
    return 'a message with a tool_result must hold nothing but tool_result blocks'
  }
  const usesTools = blocks.some(({ type }) => type === 'tool_use')
  return usesTools && message.role !== 'assistant' ? 'tool_use blocks belong in an assistant message' : undefined
}

/** Each tool use of the message before must have one result here, and there must be no other results. */
function brokenResults(open: ReadonlySet<string>, message: SamplingMessage): string | undefined {
  const unresolved = new Set(open)
  for (const block of contentAsList(message)) {
    if (block.type !== 'tool_result' || unresolved.delete(block.toolUseId)) continue
    return 'a tool_result must resolve a tool_use of the message before it, and each only once'
  }
  return unresolved.size > 0 ? 'every tool_use of the message before it must be resolved here' : undefined
}

function brokenIds(message: SamplingMessage): string | undefined {
  const ids = toolUseIds(message)
  return new Set(ids).size < ids.length ? 'two tool_use blocks have the same id' : undefined
}

function toolUseIds(message: SamplingMessage): string[] {
  return contentAsList(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
}
