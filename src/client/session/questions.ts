// Answers requests of the server, whether sent by themselves or within a result, with the callbacks.
import type { FaultReporter } from '../../dispatcher/fault.ts'
import type { LateEngine } from '../../schema/late-engine.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { invalidParams } from '../../types/errors/invalid-params.ts'
import type { ElicitRequestedSchema, ElicitRequestParams, ElicitResult } from '../../types/features/elicitation.ts'
import type { ListRootsResult } from '../../types/features/roots.ts'
import type { CreateMessageRequestParams } from '../../types/features/sampling.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestRow } from '../../wire/methods.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import { formatMisfit } from '../../wire/shapes/misfit.ts'
import { findBrokenToolUse } from '../../wire/tool-use.ts'
import type { ClientCallbacks, ClientRequestContext } from './callbacks.ts'
import { declaresMode } from './capabilities.ts'
import type { Era, Question } from './era.ts'
import type { QuestionChain } from './middleware.ts'

export class Questions {
  readonly #callbacks: ClientCallbacks
  readonly #engine: LateEngine
  readonly #faults: FaultReporter
  readonly #chain: QuestionChain | undefined

  constructor(callbacks: ClientCallbacks, engine: LateEngine, faults: FaultReporter, chain?: QuestionChain) {
    this.#callbacks = callbacks
    this.#engine = engine
    this.#faults = faults
    this.#chain = chain
  }

  /** The checked answer. Throws `MCPError` for a question that is rejected, and whatever a callback throws. */
  async answer(era: Era, question: Question, ctx: ClientRequestContext): Promise<JSONObject> {
    return this.#chain === undefined
      ? this.#answer(era, question, ctx)
      : this.#answerThrough(this.#chain, era, question, ctx)
  }

  async #answerThrough(
    chain: QuestionChain,
    era: Era,
    question: Question,
    ctx: ClientRequestContext,
  ): Promise<JSONObject> {
    const { session, requestId, signal } = ctx
    const { method, params } = question
    const given: { answer?: JSONObject } = {}
    const asked = { session, requestId, signal, method, params, isRequest: era.hasServerRequests }
    const answer = await chain(asked, async () => {
      given.answer = await this.#answer(era, question, ctx)
      return given.answer
    })
    const row = era.questionRow(method)
    // An answer that a middleware returned by itself has to pass the same checks.
    const isGiven = given.answer !== undefined && answer === given.answer
    return isGiven || row === undefined ? answer : this.#checkAnswer(era, row, method, params ?? {}, answer)
  }

  async #answer(era: Era, question: Question, ctx: ClientRequestContext): Promise<JSONObject> {
    const { method, params = {} } = question
    const row = era.questionRow(method)
    if (row === undefined)
      throw new MCPError(ErrorCode.MethodNotFound, `The client does not have the method '${method.slice(0, 128)}'.`)
    const misfit = era.questionMisfit(row, question)
    if (misfit !== undefined) throw invalidParams(method, formatMisfit(misfit))
    const result = await this.#callCallback(era, row, method, params, ctx)
    return this.#checkAnswer(era, row, method, params, result)
  }

  /** Only what the client has declared reaches a callback. */
  async #callCallback(
    era: Era,
    { callback, capability }: RequestRow,
    method: string,
    params: JSONObject,
    ctx: ClientRequestContext,
  ): Promise<unknown> {
    if (method === 'ping') return {}
    if (callback === undefined) throw notSupported(method)
    const answer = this.#callbacks[callback] as ((params: JSONObject, ctx: ClientRequestContext) => unknown) | undefined
    if (answer === undefined) throw notSupported(capability ?? method, callback)
    if (method === 'sampling/createMessage') checkSampling(era, params)
    if (method === 'elicitation/create') checkElicitation(era, params)
    return answer(params, ctx)
  }

  async #checkAnswer(
    era: Era,
    row: RequestRow,
    method: string,
    params: JSONObject,
    result: unknown,
  ): Promise<JSONObject> {
    const grammar = grammarOf(era.version)
    const misfit = grammar.misfit(row.result, result)
    if (misfit !== undefined) throw this.#invalidAnswer(method, formatMisfit(misfit))
    const answer = await this.#completeAnswer(method, params, result as JSONObject)
    return grammar.sieve(row.result, answer)
  }

  async #completeAnswer(method: string, params: JSONObject, result: JSONObject): Promise<JSONObject> {
    if (method === 'roots/list' && !hasFileRootsOnly(result as ListRootsResult)) {
      throw this.#invalidAnswer(method, 'the uri of a root must start with file://')
    }
    if (method !== 'elicitation/create') return result
    const answer = await completeElicitation(params as ElicitRequestParams, result as ElicitResult, this.#engine)
    if (!answer.ok) throw this.#invalidAnswer(method, answer.problem)
    return answer.result
  }

  #invalidAnswer(method: string, problem: string): MCPError {
    const message = `The callback for '${method}' returned an invalid result: ${problem}`
    this.#faults.report({ kind: 'callback-failed', message, method })
    const cause = new QuestionProblem(message)
    return new MCPError(ErrorCode.InternalError, 'Client callback returned an invalid result', undefined, { cause })
  }
}

/** Says on this side why a question got no answer. The server receives less. */
export class QuestionProblem extends TypeError {}

/** Spec, Sampling: tools need the declared capability, and every tool use needs its result. */
function checkSampling({ capabilities }: Era, params: JSONObject): void {
  const usesTools = params['tools'] !== undefined || params['toolChoice'] !== undefined
  if (usesTools && capabilities.sampling?.tools === undefined) {
    throw notTaken('This client does not support tools in sampling.')
  }
  const broken = findBrokenToolUse((params as CreateMessageRequestParams).messages)
  if (broken !== undefined) throw invalidParams('sampling/createMessage', broken)
}

/** Spec, Elicitation: no mode means a form, and a mode that is not declared is rejected. */
function checkElicitation({ capabilities }: Era, params: JSONObject): void {
  const mode = params['mode'] === 'url' ? 'url' : 'form'
  if (!declaresMode(capabilities.elicitation, mode)) {
    throw notTaken(`This client does not support elicitation in ${mode} mode.`)
  }
}

function hasFileRootsOnly({ roots }: ListRootsResult): boolean {
  return roots.every(({ uri }) => uri.startsWith('file://'))
}

function notTaken(message: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, message)
}

function notSupported(what: string, callback?: string): MCPError {
  const message = `This client does not support ${what}.`
  if (callback === undefined) return new MCPError(ErrorCode.MethodNotFound, message)
  const cause = new QuestionProblem(
    `The server asks for ${what}, and this client has no ${callback}. Set the option ${callback} of the client.`,
  )
  return new MCPError(ErrorCode.MethodNotFound, message, undefined, { cause })
}

/** The answer for the server, or why it is invalid. */
type ElicitationAnswer =
  | { readonly ok: true; readonly result: ElicitResult }
  | { readonly ok: false; readonly problem: string }

async function completeElicitation(
  params: ElicitRequestParams,
  answer: ElicitResult,
  engine: LateEngine,
): Promise<ElicitationAnswer> {
  // Spec, Elicitation: only an accepted form has content.
  if (answer.action !== 'accept' || params.mode === 'url') {
    const { content: _content, ...result } = answer
    return { ok: true, result }
  }
  const content = fillDefaults(params.requestedSchema, answer.content ?? {})
  const problem = await findSchemaProblem(params.requestedSchema, content, engine)
  if (problem !== undefined) return { ok: false, problem }
  return { ok: true, result: { ...answer, content: content as NonNullable<ElicitResult['content']> } }
}

/** Fields that were left out get the default of the form (SEP-1034). */
function fillDefaults({ properties }: ElicitRequestedSchema, content: JSONObject): JSONObject {
  const missing = Object.entries(properties).filter(
    ([field, schema]) => !Object.hasOwn(content, field) && schema.default !== undefined,
  )
  if (missing.length === 0) return content
  // From entries, because a server may name a field `__proto__`.
  return Object.fromEntries([...Object.entries(content), ...missing.map(([field, schema]) => [field, schema.default])])
}

async function findSchemaProblem(
  schema: ElicitRequestedSchema,
  content: JSONObject,
  engine: LateEngine,
): Promise<string | undefined> {
  try {
    if (engine.tellsFit?.(schema as unknown as JSONObject, content)) return undefined
    const validator = await engine.compile(schema as unknown as JSONObject)
    return validator.validate(content)[0]?.message
  } catch {
    return 'the requested schema is unusable or too costly'
  }
}
