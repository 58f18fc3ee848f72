// What a server may ask in the service of a call: only what the client declared, in the modern era with this very request.
import type { ClientCapabilities } from '../types/capabilities.ts'
import type { ElicitRequestParams } from '../types/elicitation.ts'
import { MissingClientCapabilityError } from '../types/errors.ts'
import type { InputRequest, InputRequiredResult } from '../types/input-required.ts'
import type { JSONObject } from '../types/json.ts'
import type { ProtocolVersion } from '../types/versions.ts'
import { missingCapabilities } from './client-capabilities.ts'
import { samplingCapabilities } from './sampling-rules.ts'

/**
 * Throws `MissingClientCapabilityError` (-32021) for the first question that the client did not say it can answer. Expects a
 * result that fits its shape; one that asks nothing passes.
 */
export function checkQuestions(result: JSONObject, declared: ClientCapabilities, version: ProtocolVersion): void {
  if (result['resultType'] !== 'input_required') return
  const { inputRequests = {} } = result as InputRequiredResult
  for (const request of Object.values(inputRequests)) checkQuestion(request, declared, version)
}

/** The same for one question, however it is asked; in revisions before that code, too, for want of a better one. */
export function checkQuestion(request: InputRequest, declared: ClientCapabilities, version: ProtocolVersion): void {
  const missing = missingCapabilities(declared, neededFor(request, version))
  if (missing !== undefined) throw new MissingClientCapabilityError(missing)
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
