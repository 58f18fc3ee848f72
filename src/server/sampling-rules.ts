// What `sampling/createMessage` demands of a request before it is sent, and of the answer to it.
import type { ClientCapabilities } from '../types/capabilities.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import { InvalidResultError } from '../types/failures.ts'
import {
  type CreateMessageRequestParams,
  type CreateMessageResult,
  contentAsList,
  type SamplingMessage,
} from '../types/sampling.ts'
import type { ProtocolVersion } from '../types/versions.ts'
import { grammarOf } from '../wire/grammar.ts'
import { missingCapabilities } from './client-capabilities.ts'

/**
 * What the client must have declared for this request. `includeContext` beyond `none` needs `sampling.context` in the
 * revisions that have that capability; in the older ones every client that samples may be asked for it.
 */
export function samplingCapabilities(params: CreateMessageRequestParams, version: ProtocolVersion): ClientCapabilities {
  const { tools, toolChoice, includeContext = 'none' } = params
  // Sampling with tools and the capability for context came with the same revision.
  const isContextDeclared = grammarOf(version).has('ToolChoice')
  return {
    sampling: {
      ...((tools !== undefined || toolChoice !== undefined) && { tools: {} }),
      ...(includeContext !== 'none' && isContextDeclared && { context: {} }),
    },
  }
}

/**
 * Throws `MCPError` -32602 when the client cannot take this request, or when its messages break the rules for tool use.
 * The former is for the client to read, the latter is a mistake on this side and `local`.
 */
export function checkSamplingRequest(
  params: CreateMessageRequestParams,
  declared: ClientCapabilities | undefined,
  version: ProtocolVersion,
): void {
  const missing = missingCapabilities(declared, samplingCapabilities(params, version))
  if (missing !== undefined) throw refuse(missing)
  checkSamplingMessages(params.messages)
}

function refuse(missing: ClientCapabilities): MCPError {
  const parts = Object.keys(missing.sampling ?? {})
  const names = parts.length === 0 ? 'sampling' : parts.map((part) => `sampling.${part}`).join(' and ')
  const message = `Cannot send sampling/createMessage: the client did not declare ${names}`
  return new MCPError(ErrorCode.InvalidParams, message, { requiredCapabilities: missing })
}

/** Throws a local `MCPError` -32602 that names the message which breaks a rule for tool use and tool results. */
export function checkSamplingMessages(messages: readonly SamplingMessage[]): void {
  let unresolved: ReadonlySet<string> = new Set()
  for (const [index, message] of messages.entries()) {
    checkRoles(message, index)
    checkResolved(unresolved, message, index)
    unresolved = toolUseIds(message, index)
  }
  if (unresolved.size > 0) throw brokenRule(messages.length - 1, 'no message follows that resolves its tool_use blocks')
}

function checkRoles(message: SamplingMessage, index: number): void {
  const blocks = contentAsList(message)
  const results = blocks.filter(({ type }) => type === 'tool_result').length
  if (results > 0 && message.role !== 'user') throw brokenRule(index, 'tool_result blocks belong in a user message')
  if (results > 0 && results < blocks.length) {
    throw brokenRule(index, 'a message with a tool_result must hold nothing but tool_result blocks')
  }
  if (message.role !== 'assistant' && blocks.some(({ type }) => type === 'tool_use')) {
    throw brokenRule(index, 'tool_use blocks belong in an assistant message')
  }
}

/** Each tool use of the message before must have one result here, and there must be no other results. */
function checkResolved(toolUses: ReadonlySet<string>, message: SamplingMessage, index: number): void {
  const unresolved = new Set(toolUses)
  for (const block of contentAsList(message)) {
    if (block.type !== 'tool_result' || unresolved.delete(block.toolUseId)) continue
    throw brokenRule(index, 'a tool_result must resolve a tool_use of the message before it, and each only once')
  }
  if (unresolved.size > 0) throw brokenRule(index, 'every tool_use of the message before it must be resolved here')
}

function toolUseIds(message: SamplingMessage, index: number): ReadonlySet<string> {
  const ids = contentAsList(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  const unique = new Set(ids)
  if (unique.size < ids.length) throw brokenRule(index, 'two tool_use blocks have the same id')
  return unique
}

function brokenRule(index: number, rule: string): MCPError {
  const message = `Cannot send sampling/createMessage: messages[${index}]: ${rule}`
  return new MCPError(ErrorCode.InvalidParams, message, undefined, { local: true })
}

/** Throws `InvalidResultError` when the client answers with a list or with a tool call although no `tools` were given. */
export function checkSamplingResult(params: CreateMessageRequestParams, result: CreateMessageResult): void {
  if (params.tools !== undefined) return
  const { content } = result
  if (Array.isArray(content)) throw invalidResult('a list')
  if (content.type === 'tool_use' || content.type === 'tool_result') throw invalidResult(`a ${content.type} block`)
}

function invalidResult(got: string): InvalidResultError {
  const message = `Invalid result for sampling/createMessage: content is ${got}, but the request gave the model no tools`
  return new InvalidResultError(message, 'content')
}
