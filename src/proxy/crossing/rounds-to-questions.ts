// A legacy client in front of a modern source: what the source asks within a result becomes a request to the client.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, NoBackChannelError } from '../../types/errors/errors.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Ask } from '../back/back-call.ts'
import { isPeerError, passOn } from '../base/failures.ts'
import { firstUnaskable, notAskable } from '../base/questions.ts'

/** Sends one round of the call. */
export type SendRound = (params: JSONObject) => Promise<JSONObject>

interface Question {
  readonly method: string
  readonly params?: JSONObject
}

const ELICITATION_COMPLETE = 'notifications/elicitation/complete'

export interface Rounds {
  readonly request: ServerRequestContext
  /** What the source knows that the client can be asked. */
  readonly declared: ClientCapabilities
  readonly send: SendRound
  readonly ask: Ask
  readonly maxRounds: number
}

/** Goes on with a call until the source has answered it. Rejects with the refusal of the client. */
export async function answerRounds(rounds: Rounds, params: JSONObject): Promise<JSONObject> {
  const { request, send, maxRounds } = rounds
  let result = await send(params)
  for (let round = 1; result['resultType'] === 'input_required'; round += 1) {
    if (round > maxRounds) {
      throw new MCPError(ErrorCode.InternalError, `The source asked more than ${maxRounds} times within one call.`)
    }
    const { inputRequests, requestState } = result
    const { inputResponses, visited } = await answerAll(rounds, inputRequests)
    result = await send({ ...params, inputResponses, ...(requestState !== undefined && { requestState }) })
    // That the source goes on is all that it says about a page.
    for (const elicitationId of visited) void request.dispatch.notify(ELICITATION_COMPLETE, { elicitationId })
  }
  return result
}

interface Answers {
  readonly inputResponses: JSONObject
  /** The ids of pages that the user agreed to visit. */
  readonly visited: readonly string[]
}

async function answerAll({ request, declared, ask }: Rounds, questions: unknown): Promise<Answers> {
  const unaskable = firstUnaskable(declared, questions)
  if (unaskable !== undefined) throw notAskable(unaskable, 'legacy')
  const entries = isPlainObject(questions) ? Object.entries(questions) : []
  const visited: string[] = []
  const answers = entries.map(async ([key, question]) => {
    const { method, params } = withElicitationId(question as Question)
    const answer = await answerOne(request, method, params, ask)
    const { mode, elicitationId } = params ?? {}
    if (mode === 'url' && answer['action'] === 'accept') visited.push(String(elicitationId))
    return [key, answer] as const
  })
  return { inputResponses: Object.fromEntries(await Promise.all(answers)), visited }
}

async function answerOne(
  request: ServerRequestContext,
  method: string,
  params: JSONObject | undefined,
  ask: Ask,
): Promise<JSONObject> {
  try {
    return await ask(method, params, request.signal)
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
function withElicitationId(question: Question): Question {
  const { method, params } = question
  if (method !== 'elicitation/create' || params?.['mode'] !== 'url' || params['elicitationId'] !== undefined)
    return question
  return { method, params: { ...params, elicitationId: crypto.randomUUID() } }
}
