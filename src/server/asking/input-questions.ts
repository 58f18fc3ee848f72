// What a server may ask in the service of a call: only what the client declared, in the modern era with this very request.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ElicitRequestParams } from '../../types/features/elicitation.ts'
import type { InputRequest, InputRequiredResult } from '../../types/features/input-required.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { requireAnswerable } from './client-capabilities.ts'
import { samplingCapabilities } from './sampling-rules.ts'

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

/** The same for one question, however it is asked. */
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
