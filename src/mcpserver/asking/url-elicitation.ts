// Handlers that throw that the user has to visit a page first: each revision has its own way to say so.
import { checkQuestions } from '../../server/asking/question-rules.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { isForCaller, UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import { ToolError } from '../../types/errors/failures.ts'
import type { ElicitRequestURLParams } from '../../types/features/elicitation.ts'
import type { InputRequest, InputRequests, InputRequiredResult } from '../../types/features/input-required.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'

/** A handler may throw that the user has to visit a page; each revision has its own way to say so. */
export function translateThrown(request: ServerRequestContext, error: unknown): InputRequiredResult {
  if (error instanceof UrlElicitationRequiredError && isForCaller(error)) return translateUrlElicitation(request, error)
  throw error
}

/**
 * Where results can ask: the result that sends the user there, or `MissingClientCapabilityError`. Where URL elicitation
 * has an error code (2025-11-25): throws the error as it is. In older revisions: throws a `ToolError` for the model to
 * pass on. To keep what the handler asked before it threw, settle the interaction with the result.
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

/** Without the id, which only an error code and its notification need. */
function toQuestion({ message, url }: ElicitRequestURLParams): InputRequest {
  return { method: 'elicitation/create', params: { mode: 'url', message, url } }
}

function toToolError(error: UrlElicitationRequiredError): ToolError {
  const visits = error.elicitations.map(({ message, url }) => `${message}: ${url}`)
  return new ToolError([`${error.message}. The user has to visit:`, ...visits].join('\n'), { cause: error })
}
