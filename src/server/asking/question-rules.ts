// What a server may ask a client for: rules of sampling requests, and of questions in results.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { ElicitRequestParams } from '../../types/features/elicitation.ts'
import type { InputRequest, InputRequiredResult } from '../../types/features/input-required.ts'
import type { CreateMessageRequestParams, CreateMessageResult, SamplingMessage } from '../../types/features/sampling.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
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

/**
 * Throws `MissingClientCapabilityError` for the first question that the client cannot be asked. Expects a result that fits its
 * shape; one that asks nothing passes.
 */
export function checkQuestions(result: JSONObject, declared: ClientCapabilities, version: ProtocolVersion): void {
  if (result['resultType'] !== 'input_required') return
  const { inputRequests = {} } = result as InputRequiredResult
  for (const request of Object.values(inputRequests)) checkQuestion(request, declared, version)
}

/** Gives a question about roots its `params`: optional by the schema, but some clients cannot read the question without. */
export function completeQuestions(result: JSONObject): JSONObject {
  if (result['resultType'] !== 'input_required') return result
  const { inputRequests } = result
  if (!isPlainObject(inputRequests)) return result
  const bare = Object.entries(inputRequests).filter(([, request]) => isBareRootsRequest(request))
  if (bare.length === 0) return result
  const completed = bare.map(([key, request]) => [key, { ...(request as JSONObject), params: {} }])
  return { ...result, inputRequests: { ...inputRequests, ...Object.fromEntries(completed) } }
}

function isBareRootsRequest(request: unknown): boolean {
  return isPlainObject(request) && request['method'] === 'roots/list' && request['params'] === undefined
}

/** As `checkQuestions`, for one question. */
export function checkQuestion(request: InputRequest, declared: ClientCapabilities, version: ProtocolVersion): void {
  requireAnswerable({ clientCapabilities: declared, protocolVersion: version }, neededFor(request, version))
}

function neededFor(request: InputRequest, version: ProtocolVersion): ClientCapabilities {
  switch (request.method) {
    case 'sampling/createMessage':
      return samplingCapabilities(request.params, version)
    case 'elicitation/create':
      return { elicitation: { [modeOf(request.params)]: {} } }
    case 'roots/list':
      return { roots: {} }
  }
}

/** Spec, Elicitation: no mode means a form. */
function modeOf({ mode = 'form' }: ElicitRequestParams): 'form' | 'url' {
  return mode
}
