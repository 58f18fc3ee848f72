// Calls handlers of a server without a client, for unit tests: no transport, no middleware, no added members in results.

import { InboundContext } from '../dispatcher/context.ts'
import { forgetAbort, listenForAbort } from '../primitives/async/abort.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { rangeError, typeError, withHelp } from '../primitives/help.ts'
import { copyJSON } from '../primitives/json/copy-json.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { isPrepared } from '../primitives/json/prepared-json.ts'
import { ConnectionCore } from '../server/connection.ts'
import { createContext, insideOf } from '../server/context.ts'
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
import { isInputRequired } from './values/input-required.ts'

/** Options of calls without a client, such as `server.callTool()`. */
export interface DirectCallOptions extends DirectCallbacks {
  /** Cancels the call. The handler sees it as `ctx.signal`. */
  signal?: AbortSignal | undefined
  /** The caller that handlers see as `ctx.auth`. */
  auth?: AuthInfo | undefined
  /** The `_meta` of the request, which the handler sees as `ctx.meta`. */
  meta?: MetaObject | undefined
  /** The revision of the call (default: the newest that the server supports). */
  protocolVersion?: ProtocolVersion | undefined
  /** Client capabilities of the call, in addition to those of the callbacks. */
  clientCapabilities?: ClientCapabilities | undefined
}

/** Options of lists without a client, such as `server.listTools()`. */
export interface DirectListOptions extends DirectCallOptions {
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

const MAX_ROUNDS = 10

/**
 * Calls a handler as for a client, and returns a copy of the result. Questions go to the callbacks; in modern revisions the call
 * is then repeated with the answers. A declared question without a callback is returned as `InputRequiredResult`; one that is not
 * declared fails with `MissingClientCapabilityError`. Errors are those that a client would get.
 */
export async function callDirectly<Method extends keyof ClientRequestParamsByMethod>(
  server: ServerCore,
  method: Method,
  params: ClientRequestParamsByMethod[Method],
  options: DirectCallOptions = {},
): Promise<ClientRequestResultByMethod[Method]> {
  const { meta, protocolVersion = server.supportedVersions.at(-1) ?? LATEST_PROTOCOL_VERSION } = options
  if (server.requestHandler(method) === undefined)
    throw withHelp(
      'method-not-found',
      new Error(`The server has no handler for '${method}'. Register a tool, resource, prompt or completion first.`),
    )
  if (!server.supportedVersions.includes(protocolVersion)) {
    throw rangeError(
      'wrong-argument',
      `The server does not support revision '${protocolVersion}'. Add it to supportedVersions.`,
    )
  }
  const lease = await server.start()
  try {
    let given = copyJSON<JSONObject>({ ...params, ...(meta !== undefined && { _meta: meta }) })
    for (let round = 0; round <= MAX_ROUNDS; round += 1) {
      const result = await callOnce(server, method, given, protocolVersion, options)
      const inputResponses = isInputRequired(result)
        ? await answerWithCallbacks(options, protocolVersion, result)
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
  // Modern clients accept no requests: a handler that asks is called again.
  const canSendRequest = !isModernVersion(protocolVersion)
  const backChannel = canSendRequest ? callbackChannel(options, protocolVersion) : NO_BACK_CHANNEL
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
    return toOwnResult(result, respond(server, request, result, insideOf(request).plain))
  } catch (error) {
    throw adaptError(error, protocolVersion)
  } finally {
    if (signal !== undefined) forgetAbort(signal, abort)
    await connection.close()
  }
}

/** A copy, unless it is a frozen page of a list, which all callers share. */
function toOwnResult(given: unknown, shaped: JSONObject): JSONObject {
  if (!isPlainObject(given)) return shaped
  const result = withoutAddedMembers(given, shaped)
  const isPage = isPrepared(shaped)
  return isPage && Object.keys(given).every((member) => given[member] === result[member]) ? given : copyJSON(result)
}

/** Only the members that the handler has set: those that are added for clients would be noise in a test. */
function withoutAddedMembers(given: JSONObject, shaped: JSONObject): JSONObject {
  const result = Object.fromEntries(Object.entries(shaped).filter(([member]) => Object.hasOwn(given, member)))
  const { _meta } = result
  if (!isPlainObject(_meta) || (isPlainObject(given['_meta']) && SERVER_INFO_META_KEY in given['_meta'])) return result
  const { [SERVER_INFO_META_KEY]: _stamp, ...rest } = _meta
  return { ...result, _meta: rest }
}

// The callbacks of a direct call, which answer questions in place of a client.

/** The same callbacks as those of a client. Each declares its capability. */
export interface DirectCallbacks {
  /** Answers `ctx.elicit()`. Without it the tool gets an error. */
  onElicitation?: ((params: ElicitRequestParams) => MaybePromise<ElicitResult>) | undefined
  /** Answers `ctx.sample()`. Without it the tool gets an error. */
  onSampling?: ((params: CreateMessageRequestParams) => MaybePromise<CreateMessageResult>) | undefined
  /** Answers `ctx.listRoots()`. Without it the tool gets an error. */
  onListRoots?: (() => MaybePromise<ListRootsResult>) | undefined
}

/** The capabilities that a client with these callbacks would declare. */
export function declareCallbacks({ onElicitation, onSampling, onListRoots }: DirectCallbacks): ClientCapabilities {
  return {
    ...(onSampling && { sampling: {} }),
    ...(onElicitation && { elicitation: { form: {}, url: {} } }),
    ...(onListRoots && { roots: {} }),
  }
}

/** Sends requests to the callbacks, for revisions whose servers ask while a call is open. Everything else is dropped. */
export function callbackChannel(callbacks: DirectCallbacks, version: ProtocolVersion): BackChannel {
  return {
    ...NO_BACK_CHANNEL,
    canSendRequest: true,
    sendRawRequest: async (method, params) => {
      const answer = callCallback(callbacks, version, method, params)
      if (answer === undefined)
        throw withHelp(
          'missing-client-capability',
          new Error(
            `A handler sent '${method}', but the call has no callback for it. Pass one in the options of the call.`,
          ),
        )
      return (await answer) as JSONObject
    },
  }
}

/** The answers to the questions of a result; `undefined` if one of them has no callback. */
export async function answerWithCallbacks(
  callbacks: DirectCallbacks,
  version: ProtocolVersion,
  { inputRequests = {} }: InputRequiredResult,
): Promise<InputResponses | undefined> {
  const asked = Object.entries(inputRequests)
  const isAnswered = (method: string) => findCallback(callbacks, method) !== undefined
  if (!asked.every(([, { method }]) => isAnswered(method))) return undefined
  const answers = asked.map(async ([key, { method, params }]) => {
    return [key, (await callCallback(callbacks, version, method, params as JSONObject)) as InputResponse] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}

/** The checked answer, or `undefined` if there is no callback. Params and answers are copied. */
function callCallback(
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
    if (misfit !== undefined)
      throw typeError('wrong-result', `${name} returned an invalid result: ${formatMisfit(misfit)}`)
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
