// Who is asked when a handler is called without a client: callbacks of the test, in the place of those of a client.
import { copyJSON } from '../primitives/json/copy-json.ts'
import type { MaybePromise } from '../server/handlers.ts'
import { type BackChannel, NO_BACK_CHANNEL } from '../server/outbound.ts'
import type { ElicitRequestParams, ElicitResult } from '../types/features/elicitation.ts'
import type { InputRequiredResult, InputResponse, InputResponses } from '../types/features/input-required.ts'
import type { ListRootsResult } from '../types/features/roots.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../types/features/sampling.ts'
import type { ClientCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import { grammarOf } from '../wire/shapes/grammar.ts'
import { formatMisfit } from '../wire/shapes/misfit.ts'

/** As the callbacks of a client, which are declared by being there. */
export interface DirectCallbacks {
  onElicitation?: (params: ElicitRequestParams) => MaybePromise<ElicitResult>
  onSampling?: (params: CreateMessageRequestParams) => MaybePromise<CreateMessageResult>
  onListRoots?: () => MaybePromise<ListRootsResult>
}

const ANSWERS = {
  'elicitation/create': { callback: 'onElicitation', shape: 'ElicitResult' },
  'sampling/createMessage': { callback: 'onSampling', shape: 'CreateMessageResult' },
  'roots/list': { callback: 'onListRoots', shape: 'ListRootsResult' },
} as const

/** What a client with these callbacks would declare. */
export function declareCallbacks({ onElicitation, onSampling, onListRoots }: DirectCallbacks): ClientCapabilities {
  return {
    ...(onSampling && { sampling: {} }),
    ...(onElicitation && { elicitation: { form: {}, url: {} } }),
    ...(onListRoots && { roots: {} }),
  }
}

/** The way to the callbacks, for revisions whose servers ask while a call is open. What else a handler sends goes nowhere. */
export function channelToCallbacks(callbacks: DirectCallbacks, version: ProtocolVersion): BackChannel {
  return {
    ...NO_BACK_CHANNEL,
    canSendRequest: true,
    sendRawRequest: async (method, params) => {
      const answer = answerWith(callbacks, version, method, params)
      if (answer === undefined) throw new Error(`Nobody answers '${method}': pass a callback for it to the call`)
      return (await answer) as JSONObject
    },
  }
}

/** The answers to the questions of a result; `undefined` where one of them has nobody to answer it. */
export async function answerQuestions(
  callbacks: DirectCallbacks,
  version: ProtocolVersion,
  { inputRequests = {} }: InputRequiredResult,
): Promise<InputResponses | undefined> {
  const asked = Object.entries(inputRequests)
  const isAnswered = ({ method }: { method: keyof typeof ANSWERS }) => callbacks[ANSWERS[method].callback] !== undefined
  if (!asked.every(([, request]) => isAnswered(request))) return undefined
  const answers = asked.map(async ([key, { method, params }]) => {
    return [key, (await answerWith(callbacks, version, method, params as JSONObject)) as InputResponse] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}

/** The checked answer, or `undefined` where there is no callback. Neither side gets objects of the other. */
function answerWith(
  callbacks: DirectCallbacks,
  version: ProtocolVersion,
  method: string,
  params: JSONObject | undefined,
): Promise<unknown> | undefined {
  if (!Object.hasOwn(ANSWERS, method)) return undefined
  const { callback, shape } = ANSWERS[method as keyof typeof ANSWERS]
  const ask = callbacks[callback] as ((params: unknown) => unknown) | undefined
  if (ask === undefined) return undefined
  return (async () => {
    const answer = copyJSON(await ask(copyJSON(params)))
    const misfit = grammarOf(version).misfit(shape, answer)
    if (misfit !== undefined) throw new TypeError(`${callback} returned an invalid result: ${formatMisfit(misfit)}`)
    return answer
  })()
}
