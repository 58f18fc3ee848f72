// Opens a subscription. Since 2026-07-28 it is one request that stays open, acknowledged first and answered last.
import { followAny, forgetAbort, listenForAbort, pause } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { MAX_TIMER_MS, type Timer, unref } from '../../primitives/async/timer.ts'
import { isDuration } from '../../primitives/options.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { SubscriptionLost } from '../../types/errors/failures.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { RequestMetaObject } from '../../types/protocol/meta.ts'
import { requestRow } from '../../wire/methods.ts'
import type { SessionInternals } from '../session/internals.ts'
import { isConnectionFailure } from '../transports/http-status.ts'
import { Backoff, isStreamLost } from '../transports/retry.ts'
import { type LegacyListeningSession, listenLegacy } from './listen-legacy.ts'
import type { SubscriptionRoute } from './routes.ts'
import { checkFilter, commonTo, eventOf, type ServerEvent } from './server-events.ts'
import { Subscription } from './subscription.ts'

export interface ListenOptions {
  /** Gives up opening; later, ends the subscription, whose reader then gets the signal's reason. */
  signal?: AbortSignal
  /** How long the server may take to acknowledge; 60 s unless given. The subscription itself has no end. */
  timeoutMs?: number
  meta?: RequestMetaObject
  /**
   * Whether a subscription whose stream breaks off is opened anew, over a transport that lives on without it. True unless
   * given; what may have been missed then comes as presumed events.
   */
  reopen?: boolean
}

/** What `listen` needs of a session. */
export type ListeningSession = LegacyListeningSession &
  Pick<SessionInternals, 'protocolVersion'> & {
    /** Without it nothing is opened anew. */
    readonly endSignal?: AbortSignal
  }

const METHOD = 'subscriptions/listen'
const ACKNOWLEDGEMENT_MS = 60_000
/** How long after a cancellation the answer may come that makes it an end in good order. */
const LAST_WORD_MS = 1_000
const DELAYS = { initialDelayMs: 250, maxDelayMs: 30_000 }
/** How often in a row a subscription may fail to open anew. */
const MAX_TRIES = 10

/** Resolves once the server has said what it will tell. */
export async function listen(
  session: ListeningSession,
  filter: SubscriptionFilter,
  options: ListenOptions = {},
  beforeEvent?: (event: ServerEvent) => Promise<void>,
  onRenewed?: (again: () => void) => () => void,
): Promise<Subscription> {
  const version = session.protocolVersion
  if (version === undefined) throw new Error('listen() needs a negotiated session')
  const requested = checkFilter(filter)
  const { signal, timeoutMs = ACKNOWLEDGEMENT_MS } = options
  if (!isDuration(timeoutMs)) throw new RangeError('timeoutMs must be a number of milliseconds, zero or more')
  if (signal?.aborted) throw signal.reason
  if (requestRow(METHOD, version, 'client') === undefined) {
    const id = String(nextId(session))
    return listenLegacy(session, requested, { ...options, timeoutMs, id, version, beforeEvent, onRenewed })
  }
  const listening = new Listening(session, requested, { ...options, timeoutMs }, beforeEvent)
  return listening.open()
}

// Ids are ours to choose, because the route must be there before the request is. They count per session.
const lastNumberOf = new WeakMap<object, number>()

function nextId(session: object): RequestId {
  const number = (lastNumberOf.get(session) ?? 0) + 1
  lastNumberOf.set(session, number)
  return `listen-${number}`
}

/** One subscription, from the first word of its first request to the last word of its last. */
class Listening implements SubscriptionRoute {
  readonly #session: ListeningSession
  readonly #requested: SubscriptionFilter
  readonly #options: ListenOptions & { timeoutMs: number }
  readonly #beforeEvent: ((event: ServerEvent) => Promise<void>) | undefined
  readonly #opened = createDeferred<Subscription>()
  readonly #request = new AbortController()
  #id: RequestId
  #subscription: Subscription | undefined
  #lost: SubscriptionLost | undefined
  #timer: Timer | undefined
  readonly #backoff = new Backoff(DELAYS)
  /** Tries in a row that were not acknowledged. */
  #failures = 0

  constructor(
    session: ListeningSession,
    requested: SubscriptionFilter,
    options: ListenOptions & { timeoutMs: number },
    beforeEvent: ((event: ServerEvent) => Promise<void>) | undefined,
  ) {
    this.#session = session
    this.#requested = requested
    this.#options = options
    this.#beforeEvent = beforeEvent
    this.#id = nextId(session)
  }

  open(): Promise<Subscription> {
    const { signal } = this.#options
    const abort = () => this.#abort(signal?.reason)
    if (signal !== undefined) listenForAbort(signal, abort)
    void this.#listen().finally(() => {
      clearTimeout(this.#timer)
      if (signal !== undefined) forgetAbort(signal, abort)
    })
    return this.#opened.promise
  }

  acknowledged(granted: SubscriptionFilter): void {
    const honored = commonTo(this.#requested, granted)
    this.#backoff.opened()
    if (this.#subscription === undefined) {
      this.#start(honored)
    } else if (this.#failures > 0) {
      clearTimeout(this.#timer)
      this.#failures = 0
      this.#subscription.reopened(this.#id, honored)
    }
  }

  event(method: string, params: JSONObject): void {
    const event = eventOf(method, params)
    if (event !== undefined) this.#subscription?.receive(event)
  }

  /** The answer decides how this is to be read, if it comes soon: it makes even a cancellation an orderly end. */
  lost(reason: SubscriptionLost): void {
    this.#lost = reason
    this.#setTimer(LAST_WORD_MS, () => this.#request.abort(reason))
  }

  async #listen(): Promise<void> {
    for (;;) {
      try {
        await this.#send()
        this.#completed()
        return
      } catch (error) {
        if (!this.#mayReopen(error) || !(await this.#pauseBeforeNext())) {
          this.#failed(error)
          return
        }
      }
    }
  }

  async #send(): Promise<void> {
    const { meta, timeoutMs } = this.#options
    this.#setTimer(timeoutMs, () => this.#request.abort(notAcknowledged(timeoutMs)))
    const unroute = this.#session.routes.add(this.#id, this)
    try {
      const options = { requestId: this.#id, timeoutMs: Infinity, signal: this.#request.signal }
      const params = { notifications: this.#requested }
      await this.#session.request(METHOD, params, meta === undefined ? options : { ...options, meta })
    } finally {
      unroute()
    }
  }

  /** Only what the transport broke off is opened anew; what the server ended, or the caller, stays so. */
  #mayReopen(error: unknown): boolean {
    const { reopen = true } = this.#options
    if (!reopen || this.#subscription === undefined || this.#session.endSignal?.aborted !== false) return false
    if (this.#lost !== undefined || this.#request.signal.aborted || this.#failures >= MAX_TRIES) return false
    return isStreamLost(error) || (this.#failures > 0 && isConnectionFailure(error))
  }

  /** Resolves to whether there still is somebody to open it for. */
  async #pauseBeforeNext(): Promise<boolean> {
    this.#failures += 1
    this.#backoff.ended()
    const { endSignal } = this.#session
    const either = followAny(endSignal === undefined ? [this.#request.signal] : [this.#request.signal, endSignal])
    try {
      await pause(this.#backoff.nextDelayMs(), { signal: either.signal, isBackground: true })
    } catch {
      return false
    } finally {
      either.stop()
    }
    this.#id = nextId(this.#session)
    return true
  }

  #completed(): void {
    // An end without a beginning: the server grants nothing and is done.
    const subscription = this.#subscription ?? this.#start({})
    subscription.complete()
  }

  #failed(error: unknown): void {
    if (this.#subscription === undefined) this.#opened.reject(error)
    else this.#subscription.lose(this.#lost ?? lostBecauseOf(error))
  }

  #start(honored: SubscriptionFilter): Subscription {
    clearTimeout(this.#timer)
    const subscription = new Subscription({
      id: this.#id,
      requested: this.#requested,
      honored,
      beforeEvent: this.#beforeEvent,
      onClose: (reason) => this.#request.abort(reason),
    })
    this.#subscription = subscription
    this.#opened.resolve(subscription)
    return subscription
  }

  #abort(reason: unknown): void {
    if (this.#subscription === undefined) this.#request.abort(reason)
    else this.#subscription.abort(reason)
  }

  #setTimer(ms: number, onDue: () => void): void {
    clearTimeout(this.#timer)
    if (ms === Infinity) return
    this.#timer = setTimeout(onDue, Math.min(ms, MAX_TIMER_MS))
    unref(this.#timer)
  }
}

function notAcknowledged(ms: number): MCPError {
  const message = `Request '${METHOD}' was not acknowledged within ${ms} ms`
  return new MCPError(ErrorCode.RequestTimeout, message, undefined, { local: true })
}

function lostBecauseOf(cause: unknown): SubscriptionLost {
  return new SubscriptionLost('The subscription ended without the server having ended it; listen again to go on', {
    cause,
  })
}
