// Answers a question that came within a result, for the call that the result belongs to.
import { MCPError } from '../../types/errors/errors.ts'
import type { InputRequest, InputResponse } from '../../types/features/input-required.ts'
import { QuestionProblem } from '../session/questions.ts'
import type { ClientSession } from '../session/session.ts'

/** With the callbacks, after all checks of a question. The error of a rejected question is local: it fails the call on this side. */
export async function answerQuestion(
  session: ClientSession,
  key: string,
  request: InputRequest,
  signal: AbortSignal,
): Promise<InputResponse> {
  try {
    return await session.dispatchInputRequest({ requestId: key, signal }, request)
  } catch (error) {
    if (!(error instanceof MCPError) || error.local) throw error
    // The protocol has no rejection of a question within a result, so the call fails on this side.
    const { message } = error.cause instanceof QuestionProblem ? error.cause : error
    throw new MCPError(error.code, message, error.data, { local: true, cause: error })
  }
}
