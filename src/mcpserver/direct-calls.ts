// Calls of a server's own handlers without any client, for unit tests: no wire, no middleware, no stamps on the result.
import { InboundContext } from '../dispatcher/context.ts'
import { forgetAbort, listenForAbort } from '../primitives/async/abort.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { copyJSON } from '../primitives/json/copy-json.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { findPreparedJSON } from '../primitives/json/prepared-json.ts'
import { ConnectionCore } from '../server/connection.ts'
import { createContext, plainResultOf } from '../server/context.ts'
import type { ServerCore } from '../server/core.ts'
import { type BackChannel, NO_BACK_CHANNEL } from '../server/outbound.ts'
import { adaptError } from '../server/results/older-revisions.ts'
import { respond } from '../server/results/respond.ts'
import { InputRequiredRoundsExceededError } from '../types/errors/failures.ts'
import type { ElicitRequestParams, ElicitResult } from '../types/features/elicitation.ts'
import type { InputRequiredResult, InputResponse, InputResponses } from '../types/features/input-required.ts'
import type { ListRootsResult } from '../types/features/roots.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../types/features/sampling.ts'
import type { AuthInfo } from '../types/protocol/auth.ts'
import type { ClientCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { type MetaObject, SERVER_INFO_META_KEY } from '../types/protocol/meta.ts'
import type { ClientRequestParamsByMethod, ClientRequestResultByMethod } from '../types/protocol/methods.ts'
import { isModernVersion, LATEST_PROTOCOL_VERSION, type ProtocolVersion } from '../types/protocol/versions.ts'
import { requestFacts } from '../wire/method-rows.ts'
import { grammarOf, type ShapeName } from '../wire/shapes/grammar.ts'
import { formatMisfit } from '../wire/shapes/misfit.ts'
import { isInputRequired } from './values/results.ts'

export interface DirectCallOptions extends DirectCallbacks {
  signal?: AbortSignal
  /** Who the caller is taken for. */
  auth?: AuthInfo
  meta?: MetaObject
  /** The revision that the caller is taken to speak: the newest one unless given. */
  protocolVersion?: ProtocolVersion
  /** What the caller is taken to declare, beside what the callbacks answer. */
  clientCapabilities?: ClientCapabilities
}

export interface DirectListOptions extends DirectCallOptions {
  /** Goes on behind an earlier page. */
  cursor?: string
}

const MAX_ROUNDS = 10

/**
 * Answers as to a client, in results that are the caller's own. Questions go to the callbacks: the call is made again with the
 * answers where its revision has it so. One that is declared and has no callback comes out as `InputRequiredResult`; one that
 * is not declared is `MissingClientCapabilityError`. What a handler throws comes out as it would go to the client.
 */
export async function callDirectly<Method extends keyof ClientRequestParamsByMethod>(
  server: ServerCore,
  method: Method,
  params: ClientRequestParamsByMethod[Method],
  options: DirectCallOptions = {},
): Promise<ClientRequestResultByMethod[Method]> {
  const { meta, protocolVersion = server.supportedVersions.at(-1) ?? LATEST_PROTOCOL_VERSION } = options
  if (server.requestHandler(method) === undefined) throw new Error(`Nothing is registered that answers '${method}'`)
  if (!server.supportedVersions.includes(protocolVersion)) {
    throw new RangeError(`This server does not speak revision '${protocolVersion}'`)
  }
  const lease = await server.start()
  try {
    let given = copyJSON<JSONObject>({ ...params, ...(meta !== undefined && { _meta: meta }) })
    for (let round = 0; round <= MAX_ROUNDS; round += 1) {
      const result = await callOnce(server, method, given, protocolVersion, options)
      const inputResponses = isInputRequired(result)
        ? await answerQuestions(options, protocolVersion, result)
        : undefined
      if (inputResponses === undefined) return result as ClientRequestResultByMethod[Method]
      const { requestState } = result
      given = { ...given, inputResponses, ...(requestState !== undefined && { requestState }) }
    }
    throw new InputRequiredRoundsExceededError(MAX_ROUNDS)
  } finally {
    await lease.release()
  }
}

async function callOnce(
  server: ServerCore,
  method: string,
  params: JSONObject,
  protocolVersion: ProtocolVersion,
  options: DirectCallOptions,
): Promise<JSONObject> {
  const { signal, auth, clientCapabilities } = options
  // Modern clients take no requests: a handler that asks is called again.
  const canSendRequest = !isModernVersion(protocolVersion)
  const backChannel = canSendRequest ? channelToCallbacks(options, protocolVersion) : NO_BACK_CHANNEL
  const transport = { kind: 'direct', canSendRequest, ...(auth !== undefined && { auth }) }
  const dispatch = new InboundContext(backChannel, transport, 'direct', params)
  const declared = { ...declareCallbacks(options), ...clientCapabilities }
  const connection = ConnectionCore.fromEnvelope({ protocolVersion, clientCapabilities: declared }, { backChannel })
  const abort = () => dispatch.abort(signal?.reason)
  if (signal?.aborted === true) abort()
  else if (signal !== undefined) listenForAbort(signal, abort)
  try {
    const request = createContext(server, connection, dispatch, method, params)
    const result = await server.requestHandler(method)?.(request, params)
    return handOut(result, respond(server, request, result, plainResultOf(request)))
  } catch (error) {
    throw adaptError(error, protocolVersion)
  } finally {
    if (signal !== undefined) forgetAbort(signal, abort)
    await connection.close()
  }
}

/** The caller's own, unless nobody can change it: a page of a list is one and the same for all. */
function handOut(given: unknown, shaped: JSONObject): JSONObject {
  if (!isPlainObject(given)) return shaped
  const result = withoutStamps(given, shaped)
  const isPage = findPreparedJSON(shaped) !== undefined
  return isPage && Object.keys(given).every((member) => given[member] === result[member]) ? given : copyJSON(result)
}

/** Only what the handler has set itself: the rest is for the way to a client, and in the way of a test. */
function withoutStamps(given: JSONObject, shaped: JSONObject): JSONObject {
  const result = Object.fromEntries(Object.entries(shaped).filter(([member]) => Object.hasOwn(given, member)))
  const { _meta } = result
  if (!isPlainObject(_meta) || (isPlainObject(given['_meta']) && SERVER_INFO_META_KEY in given['_meta'])) return result
  const { [SERVER_INFO_META_KEY]: _stamp, ...rest } = _meta
  return { ...result, _meta: rest }
}

// Who is asked when a handler is called without a client: callbacks of the test, in the place of those of a client.

/** As the callbacks of a client, which are declared by being there. */
export interface DirectCallbacks {
  onElicitation?: (params: ElicitRequestParams) => MaybePromise<ElicitResult>
  onSampling?: (params: CreateMessageRequestParams) => MaybePromise<CreateMessageResult>
  onListRoots?: () => MaybePromise<ListRootsResult>
}

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
  const isAnswered = (method: string) => findCallback(callbacks, method) !== undefined
  if (!asked.every(([, { method }]) => isAnswered(method))) return undefined
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
  const found = findCallback(callbacks, method)
  if (found === undefined) return undefined
  const { name, ask, shape } = found
  return (async () => {
    const answer = copyJSON(await ask(copyJSON(params)))
    const misfit = grammarOf(version).misfit(shape, answer)
    if (misfit !== undefined) throw new TypeError(`${name} returned an invalid result: ${formatMisfit(misfit)}`)
    return answer
  })()
}

interface FoundCallback {
  readonly name: string
  readonly ask: (params: unknown) => unknown
  readonly shape: ShapeName
}

function findCallback(callbacks: DirectCallbacks, method: string): FoundCallback | undefined {
  const row = requestFacts(method)
  if (row?.callback === undefined) return undefined
  const ask = callbacks[row.callback] as ((params: unknown) => unknown) | undefined
  return ask && { name: row.callback, ask, shape: row.result }
}
