// A legacy client in front of a modern source: what the source asks within a result becomes a request to the client.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, NoBackChannelError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Ask } from '../back/back-connection.ts'
import { isPeerError, passOn } from '../base/failures.ts'

/** Sends one round of the call. */
export type SendRound = (params: JSONObject) => Promise<JSONObject>

const CAPABILITY_OF: Readonly<Record<string, 'sampling' | 'elicitation' | 'roots'>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
}

/** Goes on with a call until the source has answered it. Rejects with the refusal of the client. */
export async function answerRounds(
  request: ServerRequestContext,
  params: JSONObject,
  send: SendRound,
  ask: Ask,
  maxRounds: number,
): Promise<JSONObject> {
  let result = await send(params)
  for (let round = 1; result['resultType'] === 'input_required'; round += 1) {
    if (round > maxRounds) {
      throw new MCPError(ErrorCode.InternalError, `The source asked more than ${maxRounds} times within one call.`)
    }
    const { inputRequests, requestState } = result
    const inputResponses = await answerAll(request, inputRequests, ask)
    result = await send({ ...params, inputResponses, ...(requestState !== undefined && { requestState }) })
  }
  return result
}

async function answerAll(request: ServerRequestContext, questions: unknown, ask: Ask): Promise<JSONObject> {
  const entries = isPlainObject(questions) ? Object.entries(questions) : []
  for (const [, question] of entries) requireCapability(request, question)
  const answers = entries.map(async ([key, question]) => [key, await answerOne(request, question, ask)] as const)
  return Object.fromEntries(await Promise.all(answers))
}

async function answerOne(request: ServerRequestContext, question: unknown, ask: Ask): Promise<JSONObject> {
  const { method, params } = question as { method: string; params?: JSONObject }
  try {
    return await ask(method, withElicitationId(method, params), request.signal)
  } catch (error) {
    if (isPeerError(error)) throw passOn(error)
    if (!(error instanceof NoBackChannelError)) throw error
    throw new MCPError(
      ErrorCode.InvalidRequest,
      `The source asks '${method}', and this connection has no way to ask the client.`,
    )
  }
}

/** Legacy clients know the sign-in pages of a source by an id, which modern sources do not give. */
function withElicitationId(method: string, params: JSONObject | undefined): JSONObject | undefined {
  if (method !== 'elicitation/create' || params?.['mode'] !== 'url' || params['elicitationId'] !== undefined)
    return params
  return { ...params, elicitationId: crypto.randomUUID() }
}

function requireCapability({ clientCapabilities }: ServerRequestContext, question: unknown): void {
  const method = isPlainObject(question) ? String(question['method']) : ''
  const capability = CAPABILITY_OF[method]
  if (capability !== undefined && clientCapabilities[capability] !== undefined) return
  const data = { requiredCapabilities: capability === undefined ? {} : { [capability]: {} } }
  throw new MCPError(ErrorCode.InvalidRequest, `The client did not declare what '${method}' of the source needs.`, data)
}
