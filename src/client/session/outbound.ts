// Sends requests and notifications: checks the revision, runs middleware, adds the envelope, and checks the result.

import type { CallOptions, Dispatcher } from '../../dispatcher/dispatcher.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ResultKind } from '../../wire/check.ts'
import { isSpecMethod, notificationRow, requestRow } from '../../wire/method-rows.ts'
import { sieveOf } from '../../wire/request-rules.ts'
import { OwnedRequests } from '../extensions/owned-requests.ts'
import type { Era, StampedMessage, UnstampedMessage } from './era.ts'
import {
  type ClientMiddlewareContext,
  type ClientNotificationContext,
  createNotificationChain,
  createRequestChain,
  type NotificationChain,
  type RequestChain,
} from './middleware.ts'
import { kindOf, methodNotInRevision, OutboundRulebook, type OutboundRules, refusalOf } from './outbound-rules.ts'
import { withoutNullCursor } from './pages.ts'
import { toPatience, withTotalPatience } from './patience.ts'
import type { RawRequestOptions, RequestOptions, VendorRequestOptions } from './request-options.ts'
import type { ClientSession } from './session.ts'
import type { ClientSessionOptions } from './session-options.ts'

/** A checked result and its kind. */
export interface Outcome {
  readonly kind: ResultKind
  readonly result: JSONObject
}

export class OutboundRequests {
  readonly #session: ClientSession
  readonly #dispatcher: Dispatcher
  readonly #rules: OutboundRulebook
  readonly #chain: RequestChain | undefined
  readonly #notifications: NotificationChain | undefined

  constructor(session: ClientSession, dispatcher: Dispatcher, options: ClientSessionOptions) {
    this.#session = session
    this.#dispatcher = dispatcher
    this.#rules = new OutboundRulebook(new OwnedRequests(options.extensionRequests), options.timeoutMs)
    const { middleware = [] } = options
    this.#chain = createRequestChain(middleware)
    this.#notifications = createNotificationChain(middleware)
  }

  /** Throws at once for a method that the revision does not have. */
  send(era: Era, method: string, params: JSONObject | undefined, options: VendorRequestOptions): Promise<Outcome> {
    const rules = this.#rules.of(era, method)
    if (!rules.mayBeSent) throw refusalOf(era, method)
    const ctx: ClientMiddlewareContext = { session: this.#session, method, params, options }
    return this.#chain === undefined ? this.#deliver(era, ctx, rules) : this.#sendThrough(this.#chain, era, ctx)
  }

  /** Checks nothing, and returns what came. No middleware runs: the message is that of another client. */
  sendRaw(era: Era, method: string, params: JSONObject | undefined, options: RawRequestOptions): Promise<JSONObject> {
    const { envelope, nameParam, annotations, hints } = options
    const row = requestRow(method, era.version, 'client')
    const stamped = era.stampFor(envelope, {
      method,
      params,
      hints,
      annotations,
      nameParam: row === undefined ? nameParam : row.nameParam,
    })
    return this.#dispatcher.sendRawRequest(method, stamped.params, rawCallOptions(options, stamped))
  }

  /** As `sendRaw`. */
  async notifyRaw(era: Era, method: string, params: JSONObject | undefined): Promise<void> {
    await this.#dispatcher.notify(method, params, era.stampFor(undefined, { method, params: undefined }).hints)
  }

  async notify(era: Era, method: string, params: JSONObject | undefined): Promise<void> {
    if (era.isNegotiated && isSpecMethod(method) && notificationRow(method, era.version, 'client') === undefined) {
      throw methodNotInRevision(method, era)
    }
    const ctx: ClientNotificationContext = { session: this.#session, method, params }
    const deliver = async (inner: ClientNotificationContext) => {
      const stamped = era.stamp({ method, params: inner.params })
      await this.#dispatcher.notify(method, stamped.params, stamped.hints)
    }
    await (this.#notifications === undefined ? deliver(ctx) : this.#notifications(ctx, deliver))
  }

  async #sendThrough(chain: RequestChain, era: Era, ctx: ClientMiddlewareContext): Promise<Outcome> {
    const delivered: { outcome?: Outcome } = {}
    const result = await chain(ctx, async (inner) => {
      delivered.outcome = await this.#deliver(era, inner, this.#rules.of(era, inner.method))
      return delivered.outcome.result
    })
    const { outcome } = delivered
    // A result that a middleware returned by itself has to pass the same checks.
    if (outcome?.result === result) return outcome
    return { kind: kindOf(era, ctx, result, this.#rules.of(era, ctx.method)), result }
  }

  /** Throws at once what can be known without the server. Not async: the frame of an async function is 500 bytes for each call. */
  #deliver(era: Era, ctx: ClientMiddlewareContext, rules: OutboundRules): Promise<Outcome> {
    return this.#sendStamped(era, ctx, rules).then((received) => {
      const result = rules.spec?.row.paged === true ? withoutNullCursor(received) : received
      return { kind: kindOf(era, ctx, result, rules), result }
    })
  }

  /** Short, as what it calls: V8 optimizes a long function within its first thousand runs, for what a hundred of them cost. */
  #sendStamped(era: Era, ctx: ClientMiddlewareContext, rules: OutboundRules): Promise<JSONObject> {
    const timeoutMs = ctx.options.timeoutMs ?? rules.timeoutMs
    const given = paramsToSend(era, ctx, rules)
    const stamped = era.stamp(unstamped(ctx, rules, given, timeoutMs))
    const callOptions = callOptionsOf(ctx.options, stamped, rules.isLong, timeoutMs)
    callOptions.ownsParams = stamped.params !== given
    return this.#dispatcher.sendRawRequest(ctx.method, stamped.params, callOptions)
  }
}

function unstamped(
  ctx: ClientMiddlewareContext,
  { own, isLong, nameParam }: OutboundRules,
  params: JSONObject | undefined,
  timeoutMs: number,
): UnstampedMessage {
  const { method, options } = ctx
  const { maxTotalMs } = options
  const named = options.nameParam ?? own?.nameParam
  return {
    method,
    // Only calls that may take long state how long their caller waits.
    params: isLong && maxTotalMs !== undefined ? withTotalPatience(params, maxTotalMs) : params,
    hints: own?.isRepeatable === true ? { isRepeatable: true, ...options.hints } : options.hints,
    nameParam: named === undefined ? nameParam : stringParam(ctx, named),
    patienceMs: isLong && maxTotalMs === undefined ? toPatience(timeoutMs) : undefined,
  }
}

/** As `callOptionsOf`, for a message that is sent as it is. */
function rawCallOptions(options: RawRequestOptions, { hints }: StampedMessage): CallOptions {
  const { requestId, onRequestId, timeoutMs, maxTotalMs, signal, until, onProgress, wantsProgress } = options
  const { cancelOnAbandon } = options
  return {
    requestId,
    onRequestId,
    timeoutMs,
    maxTotalMs,
    signal,
    until,
    onProgress,
    wantsProgress,
    cancelOnAbandon,
    hints,
    asGiven: true,
  }
}

/** Member by member: V8 takes twenty times as long to add members to an object that was spread. */
function callOptionsOf(
  { requestId, onRequestId, maxTotalMs, signal, onProgress, cancelOnAbandon }: VendorRequestOptions,
  { hints }: StampedMessage,
  isLong: boolean,
  timeoutMs: number,
): CallOptions {
  return {
    requestId,
    onRequestId,
    timeoutMs,
    maxTotalMs,
    signal,
    onProgress,
    // Progress resets the timeout of a long call, with or without onProgress.
    wantsProgress: isLong,
    cancelOnAbandon,
    hints,
    ownsParams: false,
  }
}

/** The params with the caller's `_meta`, without members of other revisions. */
function paramsToSend(
  era: Era,
  { params, options }: ClientMiddlewareContext,
  { spec }: OutboundRules,
): JSONObject | undefined {
  const fit = era.isNegotiated && spec !== undefined ? (sieveOf(spec)(params) as JSONObject | undefined) : params
  return options.meta === undefined ? fit : withMeta(fit, options.meta)
}

function withMeta(params: JSONObject | undefined, meta: NonNullable<RequestOptions['meta']>): JSONObject {
  const own = params?.['_meta']
  return { ...params, _meta: isPlainObject(own) ? { ...own, ...meta } : meta }
}

/** `name`, which names a member of the params that is a string. */
function stringParam({ method, params }: ClientMiddlewareContext, name: string): string {
  if (typeof params?.[name] === 'string') return name
  throw typeError('wrong-argument', `nameParam of '${method}' is '${name}', but params.${name} is not a string.`)
}
