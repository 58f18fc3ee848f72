// A source that stands elsewhere: requests cross as they are in one era, and are translated between the eras.

import { isSafeMethod } from '../../client/transports/retry.ts'
import { CANCELLED } from '../../dispatcher/context.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { type Principal, principalKey } from '../../http/principal.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { extrasOf, type ServerRequestContext } from '../../server/context.ts'
import type { Source, SourceDescription } from '../../server/source.ts'
import type { SubscriptionEvent, SubscriptionListener } from '../../server/subscriptions/subscriptions.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import type { LegacyVersion } from '../../types/protocol/versions.ts'
import { checkKnownRequest } from '../../wire/check.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { CHANGE_NOTIFICATIONS, isSpecMethod, requestRow } from '../../wire/method-rows.ts'
import { askDirectly, type BackCall, backCallOf } from '../back/back-connection.ts'
import { frontClientOf, principalKeyOf } from '../base/caller.ts'
import { callFailure, isLost, isPeerError } from '../base/failures.ts'
import type { ProxyOptions } from '../base/options.ts'
import type { CheckedTarget } from '../base/targets.ts'
import { LegacyFronts } from '../crossing/legacy-fronts.ts'
import { listenAcross } from '../crossing/listen-across.ts'
import { answerRounds } from '../crossing/rounds-to-questions.ts'
import {
  toLegacyError,
  toLegacyResult,
  toModernError,
  toModernResult,
  toUrlQuestions,
  withoutEnvelope,
} from '../crossing/shape-results.ts'
import { ParkedCalls, type StartCall } from '../parked/parked-calls.ts'
import { type Held, Upstream } from '../pool/upstream.ts'
import { callThroughTask } from '../tasks/call-through-task.ts'
import { Annotations } from './annotations.ts'
import { Levels } from './levels.ts'
import { isUnasked, SeenTasks } from './seen-tasks.ts'
import { type SourceCall, SourceCalls } from './source-calls.ts'
import { UpstreamLists } from './upstream-lists.ts'

const MAX_ROUNDS = 10

export class UpstreamSource implements Source {
  readonly upstream: Upstream
  readonly #options: ProxyOptions
  readonly #listeners = new Set<{ readonly notify: SubscriptionListener }>()
  readonly #lists: UpstreamLists
  readonly #annotations = new Annotations()
  readonly #parked: ParkedCalls
  readonly #legacyFronts = new LegacyFronts()
  readonly #tasks = new SeenTasks()
  readonly #levels: Levels
  readonly #calls: SourceCalls
  readonly isOwnFront: (request: ServerRequestContext) => boolean
  #legacyInfo: Implementation | undefined

  /** `isOwnFront` says whether a request came to the proxy itself, and not to a server that this source is a part of. */
  constructor(
    target: CheckedTarget,
    options: ProxyOptions,
    faults: FaultReporter,
    isOwnFront: (request: ServerRequestContext) => boolean,
  ) {
    this.#options = options
    this.isOwnFront = isOwnFront
    this.upstream = new Upstream(target, options, {
      faults,
      isOwnFront,
      changed: (method, params) => this.#changed(method, params),
      opened: (connection) => this.#legacyFronts.listenFor(connection),
      hears: (caller, params) => this.#levels.wants(caller, params, this.upstream.era),
      lost: (what) => this.#lost(what),
      wants: (caller, method, params) => this.#legacyFronts.wants(caller, method, params),
    })
    this.#levels = new Levels(this.#legacyFronts, this.upstream.forward.logging)
    this.#calls = new SourceCalls({
      options,
      upstream: this.upstream,
      annotations: this.#annotations,
      levels: this.#levels,
      list: (list, request, cursor) => this.list(list, request, cursor),
    })
    const { parkMs, maxParked } = options
    const ask = (...args: [ServerRequestContext, string, JSONObject]) => this.#exchange(...args)
    this.#lists = new UpstreamLists(ask, this.#annotations, this.upstream.listed, options.cache?.listMs)
    this.#parked = new ParkedCalls({ parkMs, maxParked, source: target.name })
    this.upstream.parked = () => this.#parked.size
  }

  async describe(request: ServerRequestContext): Promise<SourceDescription> {
    const held = await this.upstream.acquire(request)
    try {
      const { session } = held.connection.client
      const result = (session.initializeResult ?? session.discoverResult) as unknown as JSONObject
      const front = frontClientOf(request).era
      const isSame = front === held.connection.era
      const {
        capabilities,
        instructions,
        serverInfo: _info,
        protocolVersion,
        supportedVersions: _all,
        ...further
      } = result
      if (!isSame && front === 'legacy' && this.isOwnFront(request)) this.#legacyFronts.listen(request, held.connection)
      return {
        capabilities: this.#offered(capabilities as JSONObject | undefined, isSame),
        ...(typeof instructions === 'string' && { instructions }),
        ...(session.serverInfo !== undefined && { info: session.serverInfo }),
        ...(isSame && { further }),
        ...(isSame && front === 'legacy' && { protocolVersion: protocolVersion as LegacyVersion }),
      }
    } finally {
      held.release()
    }
  }

  list(...args: Parameters<Source['list']>) {
    return this.#lists.page(...args)
  }

  handle(request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    return this.#exchange(request, method, params)
  }

  async notify(request: ServerRequestContext, method: string, params: JSONObject): Promise<void> {
    // Its id is that of the front. The call itself is cancelled, and tells the source under its own id.
    if (method === CANCELLED) return
    const connection = this.upstream.peek(request)
    if (connection === undefined || (!isSpecMethod(method) && !this.upstream.forward.vendor)) return
    const front = frontClientOf(request).era
    // Modern sources take no notifications of the specification: they ask anew, and progress of clients has no form there.
    if (connection.era === 'modern' && isSpecMethod(method) && front === 'legacy') return
    await connection.notify(
      method,
      front === 'modern' && connection.era === 'legacy' ? withoutEnvelope(params) : params,
    )
  }

  mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    return this.#annotations.find(principalKeyOf(request), tool)
  }

  watch(notify: SubscriptionListener): () => void {
    const listener = { notify }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Whether a call of this source became this task. */
  hasTask(id: unknown): boolean {
    return this.#tasks.has(id)
  }

  /** Passes a log level on, where a connection of the caller is open that keeps one. */
  async setLevel(request: ServerRequestContext, params: JSONObject): Promise<void> {
    await this.#levels.pass(this.upstream.peek(request), params)
  }

  /** Takes no new calls; those under way go on to their end, or until the proxy closes. */
  async retire(): Promise<void> {
    await this.upstream.whenUnused()
    await this.close()
  }

  async forget(principal: Principal): Promise<void> {
    const owner = principalKey(principal)
    // `perUser()` and `tokenExchange()` keep something for their callers.
    const { credentials } = this.#options as { credentials?: { forget?: (principal: Principal) => void } }
    credentials?.forget?.(principal)
    this.#parked.close(owner)
    this.#annotations.forget(owner)
    this.#lists.forget(owner)
    await this.upstream.forget(owner)
  }

  async close(): Promise<void> {
    this.#parked.close()
    this.#lists.clear()
    await this.upstream.close()
  }

  /** In the other era without what only works raw. */
  #offered(capabilities: JSONObject = {}, isSame: boolean): JSONObject {
    const { tasks, extensions, ...rest } = capabilities
    if (!isSame) return rest
    return {
      ...rest,
      ...(tasks !== undefined && this.upstream.forward.tasks && { tasks }),
      ...(extensions !== undefined && { extensions }),
    }
  }

  async #exchange(request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    const { upstream } = this
    if (!isSpecMethod(method) && !upstream.forward.vendor)
      throw new MCPError(ErrorCode.MethodNotFound, `Method not found: ${method.slice(0, 128)}`)
    const startedAt = monotonicNow()
    try {
      return await this.#attempt(request, method, params)
    } catch (error) {
      if (request.signal.aborted) throw error
      if (!isLost(error) || !isSafeMethod(method)) throw this.#failure(method, error)
      // Doing it twice does no harm, and the connection is a new one.
      return await this.#attempt(request, method, params).catch((again: unknown) => {
        throw this.#failure(method, again)
      })
    } finally {
      upstream.latencies.add(monotonicNow() - startedAt)
    }
  }

  #failure(method: string, error: unknown): unknown {
    return isPeerError(error) ? error : callFailure(this.upstream.name, method, error)
  }

  async #attempt(request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    const front = frontClientOf(request).era
    // Another round of a call that is open here needs no connection of its own; nor does one of a call that is open nowhere.
    const isRound =
      typeof params['requestState'] === 'string' &&
      (front === 'legacy' ? request.task !== undefined : this.upstream.era === 'legacy')
    if (isRound)
      return this.#answerRound(request, method, params, () => Promise.reject(new Error('This call is open.')))
    const held = await this.upstream.acquire(request)
    const { era } = held.connection
    // A server in front asks whether the caller may watch a resource, and tells of changes itself.
    if (method === 'resources/subscribe' && era === 'modern' && !this.isOwnFront(request)) {
      return this.#legacyFronts.watchFor(held.connection, String(params['uri'])).finally(() => held.release())
    }
    if (front === era && era === 'legacy' && held.connection.isShared && this.isOwnFront(request)) {
      const answered = this.#legacyFronts.answerShared(request, held.connection, method, params)
      if (answered !== undefined) return answered.finally(() => held.release())
    }
    if (front === 'legacy' && request.task !== undefined && method === 'tools/call')
      return this.#inTask(held, request, params)
    if (front === era) return this.#raw(held, request, method, params)
    // Of a client, and not of a server in front, which asks in its own way whether a resource may be watched.
    const isOwn = this.isOwnFront(request) && isSpecMethod(method)
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
      const result = await this.#calls.send({ held, call, request, signal: request.signal }, method, params)
      this.#tasks.note(result)
      if (isUnasked(request, result)) {
        const message = `A result of '${this.upstream.name}' has a type that the caller did not ask for. It was passed on.`
        this.upstream.reportOnce({ kind: 'invalid-message', message, method })
      }
      // A server that this source is mounted in passes it on as it is.
      extrasOf(request).finished = result
      return result
    } finally {
      held.release()
    }
  }

  /** Into the other era, whose tasks the caller does not know. */
  #cross(one: SourceCall, method: string, params: JSONObject): Promise<JSONObject> {
    if (method !== 'tools/call' || !this.upstream.forward.tasks) return this.#calls.send(one, method, params)
    return callThroughTask(this.#calls, one, params)
  }

  /** The caller has a task of ours by now: what the source asks is asked by way of that task. */
  async #inTask(held: Held, request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    const method = 'tools/call'
    const isModern = held.connection.era === 'modern'
    const bare = isModern ? params : withoutEnvelope(params)
    const { inputRequiredMaxRounds = MAX_ROUNDS } = this.#options.client ?? {}
    this.#legacyInfo = held.connection.client.session.serverInfo
    const start = async (call: BackCall, signal: AbortSignal) => {
      try {
        const send = (given: JSONObject) => this.#cross({ held, call, request, signal }, method, given)
        return await (isModern ? answerRounds(request, bare, send, call.ask, inputRequiredMaxRounds) : send(bare))
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
      const answered = this.#legacyFronts.answer(request, held.connection, method, params)
      if (answered !== undefined) return await answered
      const { inputRequiredMaxRounds = MAX_ROUNDS } = this.#options.client ?? {}
      const call = backCallOf(request, params)
      const one = { held, call, request, signal: request.signal }
      const send = (given: JSONObject) => this.#cross(one, method, given)
      const result = await answerRounds(request, params, send, askDirectly(request), inputRequiredMaxRounds)
      return toLegacyResult(method, request.protocolVersion, result, (what) => this.#lost(what))
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
    if (method === 'subscriptions/listen') {
      try {
        checkKnownRequest(method, request.protocolVersion, params, 'client')
        return await listenAcross(request, connection, params)
      } finally {
        held.release()
      }
    }
    const bare = withoutEnvelope(params)
    const start = async (call: BackCall, signal: AbortSignal) => {
      try {
        await this.#levels.ask(held.connection, request)
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
    const { cache } = this.#options
    try {
      const result = await this.#parked.answer(request, params, start)
      if (result['resultType'] === 'input_required') return result
      if (frontClientOf(request).era === 'legacy') {
        return toLegacyResult(method, request.protocolVersion, result, (what) => this.#lost(what))
      }
      const { listMs = 0 } = cache ?? {}
      const facts = { version: request.protocolVersion, info: this.#legacyInfo, listMs }
      return toModernResult(method, result, facts, (what) => this.#lost(what))
    } catch (error) {
      if (error instanceof UrlElicitationRequiredError) return toUrlQuestions(error)
      throw isPeerError(error) ? toModernError(error) : error
    }
  }

  #lost(what: string): void {
    const message = `Callers of the other era don't get ${what} of '${this.upstream.name}'.`
    this.upstream.reportOnce({ kind: 'lossy-crossing', message })
  }

  /** Tells those who watch. */
  announce(event: SubscriptionEvent): void {
    for (const { notify } of [...this.#listeners]) notify(event)
  }

  #changed(method: string, params: JSONObject | undefined): void {
    this.#lists.clear()
    const change = Object.entries(CHANGE_NOTIFICATIONS).find(([, row]) => row.method === method)?.[0]
    if (change === undefined) return
    const event = (
      change === 'resourceUpdated' ? { type: change, uri: String(params?.['uri']) } : { type: change }
    ) as SubscriptionEvent
    this.announce(event)
  }
}
