// Sends requests and notifications: checks the revision, runs middleware, adds the envelope, and checks the result.

import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import { orderError, typeError } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { checkResult, type ResultKind, sieveParams } from '../../wire/check.ts'
import { isSpecMethod, notificationRow, requestFacts, requestRow } from '../../wire/method-rows.ts'
import type { ClaimedResult } from '../extensions/extension.ts'
import { type ClientExtensionRequest, OwnedRequests } from '../extensions/owned-requests.ts'
import type { Era } from './era.ts'
import {
  type ClientMiddlewareContext,
  type ClientNotificationContext,
  createNotificationChain,
  createRequestChain,
  type NotificationChain,
  type RequestChain,
} from './middleware.ts'
import { toPatience, withTotalPatience } from './patience.ts'
import type { RawRequestOptions, RequestOptions, VendorRequestOptions } from './request-options.ts'
import type { ClientSession } from './session.ts'
import type { ClientSessionOptions } from './session-options.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const LONG_TIMEOUT_MS = 300_000

/** A checked result and its kind. */
export interface Outcome {
  readonly kind: ResultKind
  readonly result: JSONObject
}

export class OutboundRequests {
  readonly #session: ClientSession
  readonly #dispatcher: Dispatcher
  readonly #timeoutMs: number | undefined
  readonly #owned: OwnedRequests
  readonly #chain: RequestChain | undefined
  readonly #notifications: NotificationChain | undefined

  constructor(session: ClientSession, dispatcher: Dispatcher, options: ClientSessionOptions) {
    this.#session = session
    this.#dispatcher = dispatcher
    this.#timeoutMs = options.timeoutMs
    this.#owned = new OwnedRequests(options.extensionRequests)
    const { middleware = [] } = options
    this.#chain = createRequestChain(middleware)
    this.#notifications = createNotificationChain(middleware)
  }

  /** Throws at once for a method that the revision does not have. */
  send(era: Era, method: string, params: JSONObject | undefined, options: VendorRequestOptions): Promise<Outcome> {
    this.#assertSendable(era, method)
    const ctx: ClientMiddlewareContext = { session: this.#session, method, params, options }
    return this.#chain === undefined ? this.#deliver(era, ctx) : this.#sendThrough(this.#chain, era, ctx)
  }

  /** Checks nothing, and returns what came. No middleware runs: the message is that of another client. */
  sendRaw(era: Era, method: string, params: JSONObject | undefined, options: RawRequestOptions): Promise<JSONObject> {
    const { envelope, nameParam, annotations, hints, ...call } = options
    const row = requestRow(method, era.version, 'client')
    const stamped = era.stampFor(envelope, {
      method,
      params,
      hints,
      annotations,
      nameParam: row === undefined ? nameParam : row.nameParam,
    })
    return this.#dispatcher.sendRawRequest(method, stamped.params, { ...call, hints: stamped.hints, asGiven: true })
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
      delivered.outcome = await this.#deliver(era, inner)
      return delivered.outcome.result
    })
    const { outcome } = delivered
    // A result that a middleware returned by itself has to pass the same checks.
    return outcome?.result === result ? outcome : { kind: this.#kindOf(era, ctx, result), result }
  }

  async #deliver(era: Era, ctx: ClientMiddlewareContext): Promise<Outcome> {
    const result = await this.#sendStamped(era, ctx)
    return { kind: this.#kindOf(era, ctx, result), result }
  }

  #sendStamped(era: Era, ctx: ClientMiddlewareContext): Promise<JSONObject> {
    const { method, options } = ctx
    const own = this.#find(era, method)
    const nameParam = findNameParam(era, ctx, own)
    const isLong = requestFacts(method)?.longRunning === true
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs ?? own?.timeoutMs ?? defaultTimeout(isLong)
    // Only calls that may take long state how long their caller waits.
    const { maxTotalMs } = options
    const patienceMs = isLong && maxTotalMs === undefined ? toPatience(timeoutMs) : undefined
    const hints = own?.isRepeatable === true ? { isRepeatable: true, ...options.hints } : options.hints
    const given = paramsToSend(era, ctx)
    const params = isLong && maxTotalMs !== undefined ? withTotalPatience(given, maxTotalMs) : given
    const stamped = era.stamp({ method, params, hints, nameParam, patienceMs })
    const { requestId, onRequestId, signal, onProgress, cancelOnAbandon } = options
    // Member by member: V8 takes twenty times as long to add members to an object that was spread.
    return this.#dispatcher.sendRawRequest(method, stamped.params, {
      requestId,
      onRequestId,
      timeoutMs,
      maxTotalMs,
      signal,
      onProgress,
      // Progress resets the timeout of a long call, with or without onProgress.
      wantsProgress: isLong,
      cancelOnAbandon,
      hints: stamped.hints,
      ownsParams: stamped.params !== given,
    })
  }

  /** The request of an extension, at the revision that was agreed on. */
  #find(era: Era, method: string): ClientExtensionRequest | undefined {
    return era.isNegotiated ? this.#owned.find(method, era.version) : undefined
  }

  #assertSendable(era: Era, method: string): void {
    const isOwned = this.#owned.has(method)
    if (isOwned && this.#find(era, method) !== undefined) return
    if (!isSpecMethod(method)) {
      // A vendor's method that no extension has may be sent at any time.
      if (isOwned && era.isNegotiated) throw methodNotInRevision(method, era)
      return
    }
    if (!era.isNegotiated && requestFacts(method)?.beforeHandshake !== true) {
      throw orderError(
        `Cannot send '${method}' before a revision is negotiated. Call initialize(), discover() or adopt() first.`,
      )
    }
    if (requestRow(method, era.version, 'client') === undefined) throw methodNotInRevision(method, era)
  }

  #kindOf(era: Era, message: SentMessage, result: JSONObject): ResultKind {
    const own = this.#find(era, message.method)
    return own === undefined ? kindOfResult(era, message, result) : kindOfOwned(own, era, message.method, result)
  }
}

function methodNotInRevision(method: string, { version }: Era): MCPError {
  const message = `'${method}' does not exist in protocol revision ${version}. Nothing was sent.`
  return new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
}

/** The params with the caller's `_meta`, without members of other revisions. */
function paramsToSend(era: Era, { method, params, options }: ClientMiddlewareContext): JSONObject | undefined {
  const fit = era.isNegotiated ? sieveParams(method, era.version, params) : params
  return options.meta === undefined ? fit : withMeta(fit, options.meta)
}

function withMeta(params: JSONObject | undefined, meta: NonNullable<RequestOptions['meta']>): JSONObject {
  const own = params?.['_meta']
  return { ...params, _meta: isPlainObject(own) ? { ...own, ...meta } : meta }
}

function findNameParam(
  era: Era,
  { method, params, options }: ClientMiddlewareContext,
  own: ClientExtensionRequest | undefined,
): string | undefined {
  const { nameParam = own?.nameParam } = options
  if (nameParam === undefined) return requestRow(method, era.version, 'client')?.nameParam
  if (typeof params?.[nameParam] === 'string') return nameParam
  throw typeError(
    'wrong-argument',
    `nameParam of '${method}' is '${nameParam}', but params.${nameParam} is not a string.`,
  )
}

function defaultTimeout(isLong: boolean): number {
  return isLong ? LONG_TIMEOUT_MS : DEFAULT_TIMEOUT_MS
}

type SentMessage = Pick<ClientMiddlewareContext, 'method' | 'params'>

/** As `kindOfResult`, for a request of an extension: its result is a finished one, and the extension recognises it. */
function kindOfOwned(own: ClientExtensionRequest, era: Era, method: string, result: JSONObject): 'complete' {
  const resultType = era.hasResultTypes ? ownMember(result, 'resultType') : undefined
  if (resultType !== undefined && resultType !== 'complete') {
    throw new InvalidResultError(`The resultType of the result of '${method}' is not 'complete'.`, 'resultType')
  }
  if (own.isValid?.(result) === false) {
    throw new InvalidResultError(`The server returned a result of '${method}' that its extension does not recognise.`)
  }
  return 'complete'
}

/** The kind of a result. Throws `InvalidResultError` where the revision does not allow it. */
function kindOfResult(era: Era, { method, params }: SentMessage, result: JSONObject): ResultKind {
  if (!isSpecMethod(method)) return 'complete'
  const asTask = params?.['task'] !== undefined
  const kind = checkResult(
    method,
    era.version,
    result,
    requestFacts(method)?.claimable === true ? { claims: era.claimedTypes, asTask } : { asTask },
  )
  if (kind === 'claimed') assertValidClaim(era, result as ClaimedResult)
  return kind
}

/** Throws `InvalidResultError` for what is not the finished result of a `tools/call`. */
export function assertFinishedCall({ version }: Era, result: unknown): void {
  if (checkResult('tools/call', version, result) === 'complete') return
  throw new InvalidResultError('The result of the call is not a finished one.', 'resultType')
}

function assertValidClaim(era: Era, result: ClaimedResult): void {
  const { resultType } = result
  if (era.claims.get(resultType)?.isValid?.(result) === false) {
    throw new InvalidResultError(`The server returned a '${resultType}' result that its extension does not recognise.`)
  }
}
