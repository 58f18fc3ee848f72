// Requests to a source and their answers: they cross as they are in one era, and are translated between the eras.
import { isSafeMethod } from '../../client/transports/retry.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { extrasOf, type ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { checkKnownRequest } from '../../wire/check.ts'
import { isSpecMethod, requestRow } from '../../wire/method-rows.ts'
import { askDirectly, type BackCall, backCallOf } from '../back/back-call.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { frontClientOf, principalKeyOf } from '../base/caller.ts'
import {
  callFailure,
  closedFailure,
  connectFailure,
  isAnswered,
  isLoop,
  isLost,
  isNoAnswer,
  isPeerError,
  isStrange,
  isUnreached,
  noAnswerFault,
} from '../base/failures.ts'
import { listMsOf, type ProxyOptions } from '../base/options.ts'
import { firstBarred, notAskable } from '../base/questions.ts'
import type { LegacyFronts } from '../crossing/legacy-fronts.ts'
import { listenAcross } from '../crossing/listen-across.ts'
import { listenThrough } from '../crossing/open-listens.ts'
import { answerRounds } from '../crossing/rounds-to-questions.ts'
import {
  type OnLoss,
  toLegacyError,
  toLegacyResult,
  toModernError,
  toModernResult,
  toUrlQuestions,
  withoutEnvelope,
} from '../crossing/shape-results.ts'
import type { SourceTaskIds } from '../gateway/task-ids.ts'
import type { ParkedCalls, StartCall } from '../parked/parked-calls.ts'
import type { Held } from '../pool/connections.ts'
import type { Upstream } from '../pool/upstream.ts'
import { callThroughTask } from '../tasks/call-through-task.ts'
import { isTaskRequired } from '../tasks/drive-task.ts'
import type { Levels } from './levels.ts'
import type { SafeTools } from './safe-tools.ts'
import type { SourceCall, SourceCalls } from './source-calls.ts'
import { StateOwners } from './state-owners.ts'
import { TaskOwners } from './task-owners.ts'
import { isUnasked } from './unasked.ts'

const MAX_ROUNDS = 10
const LISTEN = 'subscriptions/listen'

export interface ExchangeMeans {
  readonly options: ProxyOptions
  readonly upstream: Upstream
  readonly calls: SourceCalls
  readonly parked: ParkedCalls
  readonly levels: Levels
  /** Where calls of tools may be repeated. */
  readonly safeTools: SafeTools | undefined
  readonly legacyFronts: LegacyFronts
  /** Where ids of tasks may be others at the front. */
  readonly taskIds: SourceTaskIds | undefined
  readonly isOwnFront: (request: ServerRequestContext) => boolean
  readonly lost: OnLoss
  /** Called for a state that does not belong to the caller that it comes with. */
  readonly onForeignState: (method: string) => void
}

export class Exchange {
  readonly #means: ExchangeMeans
  readonly #owners = new TaskOwners()
  readonly #states: StateOwners
  #legacyInfo: Implementation | undefined

  constructor(means: ExchangeMeans) {
    this.#means = means
    this.#states = new StateOwners(means.onForeignState)
  }

  /** Rejects with what the caller may read. */
  async answer(request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    const { upstream } = this.#means
    if (!isSpecMethod(method) && !upstream.forward.vendor)
      throw new MCPError(ErrorCode.MethodNotFound, `Method not found: ${method.slice(0, 128)}`)
    const startedAt = monotonicNow()
    const used: { connection?: BackConnection } = {}
    try {
      const result = await this.#attempt(request, method, params, used)
      upstream.condition.reached()
      return result
    } catch (error) {
      if (request.signal.aborted) throw error
      if (isAnswered(error)) upstream.condition.reached()
      const { connection } = used
      if (connection?.isCutOff === true && isLost(error)) throw closedFailure(upstream.name, error, method)
      const isDropped =
        connection !== undefined && isStrange(error, connection.era) && (await upstream.dropIfStale(connection))
      // A server that refuses the whole connection has executed nothing.
      const isRefused = isDropped && isAnswered(error)
      const isGone = isLost(error) || isDropped
      if (!isRefused && !(isGone && this.#mayRepeat(request, method, params))) throw this.#failure(method, error)
      // The connection is a new one.
      return await this.#attempt(request, method, params).catch((again: unknown) => {
        throw this.#failure(method, again)
      })
    } finally {
      upstream.latencies.add(monotonicNow() - startedAt)
    }
  }

  /** Whether doing it twice does no harm, by what the specification or a source that is trusted says. */
  #mayRepeat(request: ServerRequestContext, method: string, params: JSONObject): boolean {
    if (isSafeMethod(method)) return true
    const isWhole = method === 'tools/call' && params['requestState'] === undefined && params['task'] === undefined
    return isWhole && this.#means.safeTools?.has(principalKeyOf(request), String(params['name'])) === true
  }

  #failure(method: string, error: unknown): unknown {
    return this.#means.upstream.condition.leaving(this.#failed(method, error))
  }

  #failed(method: string, error: unknown): unknown {
    if (isUnreached(error)) this.#means.upstream.condition.unreached(error)
    if (isLoop(error)) return this.#means.upstream.condition.inLoop(error)
    // The caller has agreed on a revision with the proxy: what the source lacks is between those two.
    if (isPeerError(error) && error.code === ErrorCode.UnsupportedProtocolVersion)
      return connectFailure(this.#means.upstream.name, error)
    if (isPeerError(error)) return error
    const failure = callFailure(this.#means.upstream.name, method, error)
    if (isNoAnswer(failure)) this.#means.upstream.condition.report(noAnswerFault(failure, method))
    return failure
  }

  async #attempt(
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    used?: { connection?: BackConnection },
  ): Promise<JSONObject> {
    const front = frontClientOf(request).era
    // Another round of a call that is open here needs no connection of its own; nor does one of a call that is open nowhere.
    const isRound =
      typeof params['requestState'] === 'string' &&
      (front === 'legacy'
        ? request.task !== undefined
        : this.#means.upstream.era === 'legacy' || this.#means.parked.isOwn(params['requestState']))
    if (isRound)
      return this.#answerRound(request, method, params, () => Promise.reject(new Error('This call is open.')))
    const held = await this.#means.upstream.acquire(request)
    const { era } = held.connection
    if (used !== undefined) used.connection = held.connection
    // A server in front asks whether the caller may watch a resource, and tells of changes itself.
    if (method === 'resources/subscribe' && era === 'modern' && !this.#means.isOwnFront(request)) {
      return this.#means.legacyFronts.watchFor(held.connection, String(params['uri'])).finally(() => held.release())
    }
    if (front === era && era === 'legacy' && held.connection.isShared && this.#means.isOwnFront(request)) {
      const answered = this.#means.legacyFronts.answerShared(request, held.connection, method, params)
      if (answered !== undefined) return answered.finally(() => held.release())
    }
    if (front === 'legacy' && request.task !== undefined && method === 'tools/call')
      return this.#inTask(held, request, params)
    if (front === era) {
      return this.#raw(held, request, method, params).catch((error: unknown) => {
        if (!this.#lacksTask(request, method, error)) throw error
        return this.#throughTask(request, params)
      })
    }
    // Of a client, and not of a server in front, which asks in its own way whether a resource may be watched.
    const isOwn = this.#means.isOwnFront(request) && isSpecMethod(method)
    if (isOwn && requestRow(method, request.protocolVersion, 'client') === undefined) {
      held.release()
      throw new MCPError(ErrorCode.MethodNotFound, `Method not found: ${method}`)
    }
    return front === 'legacy'
      ? this.#legacyToModern(held, request, method, params)
      : this.#modernToLegacy(held, request, method, params)
  }

  async #raw(held: Held, request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    try {
      const call = backCallOf(request, params)
      const { taskIds } = this.#means
      this.#states.check(request, params)
      const allowed = this.#owners.allow(request, method, params)
      const send = (signal?: AbortSignal) =>
        this.#means.calls.send(
          { held, call, request, ...(signal && { signal }) },
          method,
          taskIds?.unshow(allowed) ?? allowed,
        )
      const given = await (method === LISTEN ? listenThrough(request, send) : send())
      const result = this.#owners.show(request, method, taskIds?.showResult(given) ?? given)
      this.#states.note(request, result)
      if (isUnasked(request, result)) {
        const message = `A result of '${this.#means.upstream.name}' has a type that the caller did not ask for. It was passed on.`
        this.#means.upstream.condition.reportOnce({ kind: 'invalid-message', message, method })
      }
      const barred =
        result['resultType'] === 'input_required' && firstBarred(this.#means.upstream.forward, result['inputRequests'])
      if (typeof barred === 'string') throw notAskable(barred, frontClientOf(request).era)
      // A server that this source is mounted in passes it on as it is.
      extrasOf(request).finished = result
      return result
    } finally {
      held.release()
    }
  }

  /** Whether a source runs the tool as a task only, and its caller knows no tasks. */
  #lacksTask({ clientCapabilities, protocolVersion }: ServerRequestContext, method: string, error: unknown): boolean {
    if (method !== 'tools/call' || !this.#means.upstream.forward.tasks || !isModernVersion(protocolVersion))
      return false
    return clientCapabilities.extensions?.[TASKS_EXTENSION] === undefined && isTaskRequired('modern', error)
  }

  /** The caller waits for the result, and answers what the task asks in further rounds of its call. */
  async #throughTask(request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    const held = await this.#means.upstream.acquire(request)
    const start = (call: BackCall, signal: AbortSignal) =>
      callThroughTask(this.#means.calls, { held, call, request, signal }, params, true).finally(() => held.release())
    return this.#answerRound(request, 'tools/call', params, start)
  }

  /** Into the other era, whose tasks the caller does not know. */
  #cross(one: SourceCall, method: string, params: JSONObject): Promise<JSONObject> {
    if (method !== 'tools/call' || !this.#means.upstream.forward.tasks)
      return this.#means.calls.send(one, method, params)
    return callThroughTask(this.#means.calls, one, params)
  }

  /** The caller has a task of ours by now: what the source asks is asked by way of that task. */
  async #inTask(held: Held, request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    const method = 'tools/call'
    const isModern = held.connection.era === 'modern'
    const bare = isModern ? params : withoutEnvelope(params)
    const { inputRequiredMaxRounds = MAX_ROUNDS } = this.#means.options.client ?? {}
    this.#legacyInfo = held.connection.client.session.serverInfo
    const start = async (call: BackCall, signal: AbortSignal) => {
      try {
        const send = (given: JSONObject) => this.#cross({ held, call, request, signal }, method, given)
        const declared = this.#means.upstream.capabilitiesOf(request)
        const rounds = { request, declared, send, ask: call.ask, maxRounds: inputRequiredMaxRounds }
        return await (isModern ? answerRounds(rounds, bare) : send(bare))
      } finally {
        held.release()
      }
    }
    return this.#answerRound(request, method, params, start)
  }

  async #legacyToModern(
    held: Held,
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
  ): Promise<JSONObject> {
    try {
      const answered = this.#means.legacyFronts.answer(request, held.connection, method, params)
      if (answered !== undefined) return await answered
      const { inputRequiredMaxRounds = MAX_ROUNDS } = this.#means.options.client ?? {}
      const call = backCallOf(request, params)
      const one = { held, call, request, signal: request.signal }
      const send = (given: JSONObject) => this.#cross(one, method, given)
      const declared = this.#means.upstream.capabilitiesOf(request)
      const rounds = { request, declared, send, ask: askDirectly(request), maxRounds: inputRequiredMaxRounds }
      const result = await answerRounds(rounds, params)
      return toLegacyResult(method, request.protocolVersion, result, this.#means.lost)
    } catch (error) {
      throw isPeerError(error) ? toLegacyError(method, error) : error
    } finally {
      held.release()
    }
  }

  async #modernToLegacy(
    held: Held,
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
  ): Promise<JSONObject> {
    const { connection } = held
    this.#legacyInfo = connection.client.session.serverInfo
    if (method === LISTEN) {
      try {
        checkKnownRequest(method, request.protocolVersion, params)
        return await listenAcross(request, connection, params)
      } finally {
        held.release()
      }
    }
    const bare = withoutEnvelope(params)
    const start = async (call: BackCall, signal: AbortSignal) => {
      try {
        await this.#means.levels.ask(held.connection, request)
        return await this.#cross({ held, call, request, signal }, method, bare)
      } finally {
        held.release()
      }
    }
    return this.#answerRound(request, method, params, start)
  }

  /** One round of a call: the first one starts the call, later ones bring answers to its questions. */
  async #answerRound(
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    start: StartCall,
  ): Promise<JSONObject> {
    try {
      const result = await this.#means.parked.answer(request, params, start)
      if (result['resultType'] === 'input_required') return result
      if (frontClientOf(request).era === 'legacy') {
        return toLegacyResult(method, request.protocolVersion, result, this.#means.lost)
      }
      if (this.#means.upstream.era === 'modern') return result
      const listMs = listMsOf(this.#means.options) ?? 0
      const facts = { version: request.protocolVersion, info: this.#legacyInfo, listMs }
      return toModernResult(method, result, facts, this.#means.lost)
    } catch (error) {
      if (error instanceof UrlElicitationRequiredError) return toUrlQuestions(error)
      throw isPeerError(error) ? toModernError(error) : error
    }
  }
}
