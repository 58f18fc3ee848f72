// Reads what a client answered within the call: its word on a question, which has to fit before the handler sees it.
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import { InvalidResultError } from '../types/failures.ts'
import type { InputRequest } from '../types/input-required.ts'
import type { ProtocolVersion } from '../types/versions.ts'
import { grammarOf } from '../wire/grammar.ts'
import { REQUESTS } from '../wire/methods.ts'
import { formatMisfit, formatPath } from '../wire/misfit.ts'
import type { Entry } from './interaction-journal.ts'
import type { Question } from './interaction-questions.ts'

/**
 * The answer as the handler gets it. Spec, MRTR: one that does not fit is an error, `MCPError` -32602 with its key and the
 * place that does not fit, because the client would give the same answer again.
 */
export async function readAnswer<Answer>(
  question: Question<Answer>,
  { key, answer }: Entry,
  version: ProtocolVersion,
): Promise<Answer> {
  try {
    checkShape(question.request, answer, version)
    return await question.read(answer)
  } catch (error) {
    throw error instanceof InvalidResultError ? invalidAnswer(key, error) : error
  }
}

function checkShape({ method }: InputRequest, answer: unknown, version: ProtocolVersion): void {
  const misfit = grammarOf(version).misfit(REQUESTS[method].result, answer)
  if (misfit === undefined) return
  throw new InvalidResultError(`Invalid result for ${method}: ${formatMisfit(misfit)}`, formatPath(misfit.path))
}

function invalidAnswer(key: string, error: InvalidResultError): MCPError {
  const data = { key, path: error.path }
  return new MCPError(ErrorCode.InvalidParams, `inputResponses.${key}: ${error.message}`, data, { cause: error })
}
