// Handlers that throw `UrlElicitationRequiredError`: the user has to visit a page first. Each revision expresses this differently.
import { checkQuestions } from '../../server/asking/question-rules.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { isForCaller, UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import { ToolError } from '../../types/errors/failures.ts'
import type { ElicitRequestURLParams } from '../../types/features/elicitation.ts'
import type { InputRequest, InputRequests, InputRequiredResult } from '../../types/features/input-required.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'

/** Returns the result that asks the user to visit a page, or throws the error. */
export function translateThrown(request: ServerRequestContext, error: unknown): InputRequiredResult {
  if (error instanceof UrlElicitationRequiredError && isForCaller(error)) return translateUrlElicitation(request, error)
  throw error
}

/**
 * Modern: returns an `InputRequiredResult`, or throws `MissingClientCapabilityError`. 2025-11-25, which has an error code for it:
 * throws the error as it is. Older revisions: throws a `ToolError`, which the model can pass on to the user.
 */
export function translateUrlElicitation(
  ctx: ServerRequestContext,
  error: UrlElicitationRequiredError,
): InputRequiredResult {
  const grammar = grammarOf(ctx.protocolVersion)
  if (grammar.has('InputRequiredResult')) return toQuestions(ctx, error.elicitations)
  throw grammar.has('ElicitRequestURLParams') ? error : toToolError(error)
}

function toQuestions(
  { clientCapabilities, protocolVersion }: ServerRequestContext,
  elicitations: readonly ElicitRequestURLParams[],
): InputRequiredResult {
  const questions = elicitations.map((elicitation, index) => [`url${index + 1}`, toQuestion(elicitation)] as const)
  const inputRequests: InputRequests = Object.fromEntries(questions)
  const result: InputRequiredResult = { resultType: 'input_required', inputRequests }
  checkQuestions(result, clientCapabilities, protocolVersion)
  return result
}

/** Without the id, which only the error of 2025-11-25 and its notification need. */
function toQuestion({ message, url }: ElicitRequestURLParams): InputRequest {
  return { method: 'elicitation/create', params: { mode: 'url', message, url } }
}

function toToolError(error: UrlElicitationRequiredError): ToolError {
  const visits = error.elicitations.map(({ message, url }) => `${message}: ${url}`)
  return new ToolError([`${error.message}. The user has to visit:`, ...visits].join('\n'), { cause: error })
}
