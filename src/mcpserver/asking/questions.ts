// The four kinds of question: how each is sent, and how its answer is read.
import { isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import { checkElicitUrl, checkElicitUrlAnswer } from '../../server/asking/elicitation-rules.ts'
import { checkSamplingMessages, checkSamplingResult } from '../../server/asking/question-rules.ts'
import { throwIfRefused } from '../../server/asking/refused-answer.ts'
import type { ServerSession, SessionCallOptions } from '../../server/session.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { ElicitAction } from '../../types/features/elicitation.ts'
import type { InputRequest, InputRequiredResult } from '../../types/features/input-required.ts'
import type { ListRootsResult } from '../../types/features/roots.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../../types/features/sampling.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { REQUESTS } from '../../wire/methods.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import { formatMisfit, formatPath } from '../../wire/shapes/misfit.ts'
import { type KeptQuestion, keepQuestion } from './digest.ts'
import { type ElicitOutcome, type FormContent, formOf } from './form.ts'
import type { Entry } from './journal.ts'

export interface Question<Answer> {
  /** The question as a member of an `InputRequiredResult`. */
  readonly request: InputRequest
  /** As it is now, with its digest. `TypeError` if it is not JSON. */
  keep(): KeptQuestion
  /** Rejects where the question can't be asked, which takes what is loaded later to tell. */
  readonly settling?: Promise<unknown> | undefined
  /** The question as a request of the server. */
  send(session: ServerSession, options: SessionCallOptions): Promise<unknown>
  /** Expects an answer of the right shape. Fails with `InvalidResultError` if it breaks a further rule. */
  read(answer: unknown): MaybePromise<Answer>
}

/** The questions and steps of one run of a handler. */
export interface Conversation {
  readonly signal: AbortSignal
  ask<Answer>(question: Question<Answer>): Promise<Answer>
  step<Value>(name: string, run: () => MaybePromise<Value>): Promise<Value>
  /** The outcome of the run: what the handler returned, or its questions if it waits for answers. */
  settle<T>(outcome: MaybePromise<T>): MaybePromise<T | InputRequiredResult>
  /** Ends a run whose handler threw at once. */
  end(): void
}

export function formQuestion<Schema extends object>(
  message: string,
  schema: Schema,
): Question<ElicitOutcome<FormContent<Schema>>> {
  const form = formOf(schema)
  const { questions, settling, read } = form
  return {
    settling,
    request: questions.ask(message),
    keep: () => questions.keep(message),
    send: (session, options) => session.elicitForm(message, form.requestedSchemaAt(session.protocolVersion), options),
    read,
  }
}

export function urlQuestion(message: string, url: string): Question<{ readonly action: ElicitAction }> {
  checkElicitUrl(url)
  const request: InputRequest = { method: 'elicitation/create', params: { mode: 'url', message, url } }
  return {
    request,
    keep: () => keepQuestion(request),
    send: (session, options) => session.elicitUrl(message, url, undefined, options),
    read: checkElicitUrlAnswer,
  }
}

export function samplingQuestion(params: CreateMessageRequestParams): Question<CreateMessageResult> {
  checkSamplingMessages(params.messages)
  const request: InputRequest = { method: 'sampling/createMessage', params }
  return {
    request,
    keep: () => keepQuestion(request),
    send: (session, options) => session.createMessage(params, options),
    read(answer) {
      const result = answer as CreateMessageResult
      checkSamplingResult(params, result)
      return result
    },
  }
}

export function rootsQuestion(): Question<ListRootsResult> {
  // Some clients reject a request without params.
  const request: InputRequest = { method: 'roots/list', params: {} }
  return {
    request,
    keep: () => keepQuestion(request),
    send: (session, options) => session.listRoots(options),
    read: (answer) => answer as ListRootsResult,
  }
}

/**
 * The answer as the handler gets it, at once where its checks need not wait: each round reads all earlier answers again. Spec,
 * MRTR: an invalid answer fails the call with `MCPError` -32602, its key and the path
 * that is wrong. Asking again would get the same answer.
 */
export function readAnswer<Answer>(
  question: Question<Answer>,
  { key, answer }: Entry,
  version: ProtocolVersion,
): MaybePromise<Answer> {
  throwIfRefused(answer)
  const fail = (error: unknown): never => {
    throw error instanceof InvalidResultError ? invalidInputResponse(key, error) : error
  }
  try {
    checkAnswerShape(question.request, answer, version)
    const read = question.read(answer)
    return isThenable(read) ? read.catch(fail) : read
  } catch (error) {
    return fail(error)
  }
}

function checkAnswerShape({ method }: InputRequest, answer: unknown, version: ProtocolVersion): void {
  const misfit = grammarOf(version).misfit(REQUESTS[method].result, answer)
  if (misfit === undefined) return
  throw new InvalidResultError(`Invalid result for ${method}: ${formatMisfit(misfit)}`, formatPath(misfit.path))
}

function invalidInputResponse(key: string, error: InvalidResultError): MCPError {
  const data = { key, path: error.path }
  return new MCPError(ErrorCode.InvalidParams, `inputResponses.${key}: ${error.message}`, data, { cause: error })
}
