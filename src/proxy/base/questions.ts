// What a source may ask a client: only what the client said that it can answer, as far as such questions cross.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { requestFacts } from '../../wire/method-rows.ts'
import type { Era } from './caller.ts'
import type { Forwarding } from './options.ts'

type Asked = 'sampling' | 'elicitation' | 'roots'

/** `undefined` for what the specification does not define. */
function capabilityFor(method: string): Asked | undefined {
  const facts = requestFacts(method)
  return facts?.from === 'server' ? (facts.capability as Asked) : undefined
}

/** Whether it was told to the source that this can be asked. What the specification does not define is asked without that. */
export function canBeAsked(declared: ClientCapabilities, method: string): boolean {
  const capability = capabilityFor(method)
  return capability === undefined || declared[capability] !== undefined
}

/** The error of a call whose source asks what its caller can't be asked, in the words of the era of the caller. */
export function notAskable(method: string, era: Era): MCPError {
  const capability = capabilityFor(method)
  const data: JSONObject = { requiredCapabilities: capability === undefined ? {} : { [capability]: {} } }
  const code = era === 'modern' ? ErrorCode.MissingRequiredClientCapability : ErrorCode.InvalidRequest
  return new MCPError(code, `The client did not declare what '${method.slice(0, 128)}' of the source needs.`, data)
}

/** The method of the first of these questions that can't be asked; `undefined` where all can. */
export function firstUnaskable(declared: ClientCapabilities, questions: unknown): string | undefined {
  for (const question of isPlainObject(questions) ? Object.values(questions) : []) {
    const method = isPlainObject(question) ? String(question['method']) : ''
    // Within a result only the questions of the specification have a form.
    if (capabilityFor(method) === undefined || !canBeAsked(declared, method)) return method
  }
  return undefined
}

/** The method of the first of these questions that does not cross, whatever the client can do; `undefined` where all do. */
export function firstBarred(forward: Forwarding, questions: unknown): string | undefined {
  for (const question of isPlainObject(questions) ? Object.values(questions) : []) {
    const method = isPlainObject(question) ? String(question['method']) : ''
    const capability = capabilityFor(method)
    if (capability !== undefined && !forward[capability]) return method
  }
  return undefined
}

/** What the caller can be asked, as far as such questions cross. */
export function declaredCapabilities(forward: Forwarding, capabilities: ClientCapabilities): ClientCapabilities {
  const { sampling, elicitation, roots, tasks, ...rest } = capabilities as JSONObject
  return {
    ...rest,
    ...(forward.sampling && sampling !== undefined && { sampling }),
    ...(forward.elicitation && elicitation !== undefined && { elicitation }),
    ...(forward.roots && roots !== undefined && { roots }),
    ...(forward.tasks && tasks !== undefined && { tasks }),
  } as ClientCapabilities
}
