// What `sampling/createMessage` demands of a request before it is sent, and of the answer to it.

import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { CreateMessageRequestParams, CreateMessageResult, SamplingMessage } from '../../types/features/sampling.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import { findBrokenToolUse } from '../../wire/tool-use.ts'
import { requireAnswerable } from './client-capabilities.ts'

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
 * Throws `MissingClientCapabilityError` when the client cannot be asked this, and a local `MCPError` -32602 when the messages break
 * the rules for tool use.
 */
export function checkSamplingRequest(
  params: CreateMessageRequestParams,
  declared: ClientCapabilities,
  version: ProtocolVersion,
): void {
  const client = { clientCapabilities: declared, protocolVersion: version }
  requireAnswerable(client, samplingCapabilities(params, version))
  checkSamplingMessages(params.messages)
}

/** Throws a local `MCPError` -32602 that names the message which breaks a rule for tool use and tool results. */
export function checkSamplingMessages(messages: readonly SamplingMessage[]): void {
  const broken = findBrokenToolUse(messages)
  if (broken === undefined) return
  throw new MCPError(ErrorCode.InvalidParams, `Cannot send sampling/createMessage: ${broken}`, undefined, {
    local: true,
  })
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
