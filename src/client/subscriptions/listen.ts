// Opens a subscription. Since 2026-07-28 it is one request: a notification acknowledges it, and its response ends it.

import { followAny, forgetAbort, listenForAbort, pause } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { MAX_TIMER_MS, type Timer, unref } from '../../primitives/async/timer.ts'
import { orderError } from '../../primitives/help.ts'
import { assertDuration } from '../../primitives/options.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { SubscriptionLost } from '../../types/errors/failures.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { RequestMetaObject } from '../../types/protocol/meta.ts'
import { requestRow } from '../../wire/method-rows.ts'
import type { SessionInternals } from '../session/internals.ts'
import { isConnectionFailure } from '../transports/http-status.ts'
import { Backoff, isStreamLost } from '../transports/retry.ts'
import { type CheckedFilter, checkFilter, intersectFilters } from './filters.ts'
import { type LegacyListeningSession, listenLegacy } from './listen-legacy.ts'
import type { SubscriptionRoute } from './routes.ts'
import { type ChangeEvent, toServerEvent } from './server-events.ts'
import { EventSubscription, type Subscription } from './subscription.ts'

/** Options of `client.listen()`. */
export interface ListenOptions {
  /** Aborts the opening; later, ends the subscription, which then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** How long the server may take to acknowledge the subscription (default: 60 s), which itself has no time limit. */
  timeoutMs?: number | undefined
  /** The `_meta` of the request, for your own values. */
  meta?: RequestMetaObject | undefined
  /**
   * Whether a subscription whose stream breaks off is reopened, if its connection survives (default: true). Changes that may
   * have been missed then come as presumed events.
   */
  reopen?: boolean | undefined
}

/** What `listen` needs of a session. */
export type ListeningSession = LegacyListeningSession &
  Pick<SessionInternals, 'protocolVersion' | 'filters'> & {
    /** Without it nothing is reopened. */
    readonly endSignal?: AbortSignal
  }

/** For the modules that a subscription has to work with. */
export interface ListenHooks {
  /** Called when a change arrives; the caller gets its event once the returned promise has settled. */
  readonly beforeEvent?: ((event: ChangeEvent) => Promise<void>) | undefined
  /** Calls `listener` whenever the session has expired and a new one was opened. Returns a function that stops it. */
  readonly onSessionRenewed?: ((listener: () => void) => () => void) | undefined
}

const METHOD = 'subscriptions/listen'
const ACKNOWLEDGEMENT_MS = 60_000
/** How long after a cancellation the response may come that makes it a normal end. */
const RESPONSE_AFTER_CANCEL_MS = 1_000
const REOPEN_DELAYS = { initialDelayMs: 250, maxDelayMs: 30_000 }
/** How often in a row reopening a subscription may fail. */
const MAX_REOPEN_FAILURES = 10

/** Resolves once the server has acknowledged the subscription. */
export async function listen(
  session: ListeningSession,
  filter: object,
  options: ListenOptions = {},
  hooks: ListenHooks = {},
): Promise<Subscription> {
  const version = session.protocolVersion
  if (version === undefined)
    throw orderError('listen() needs a negotiated session. Call initialize() or discover() first.')
  const requested = checkFilter(filter, session.filters)
  const { signal, timeoutMs = ACKNOWLEDGEMENT_MS } = options
  assertDuration('timeoutMs', timeoutMs)
  if (signal?.aborted) throw signal.reason
  if (requestRow(METHOD, version, 'client') === undefined) {
    const id = String(nextId(session))
    return listenLegacy(session, requested, { ...options, ...hooks, timeoutMs, id, version })
  }
  const listening = new ModernListening(session, requested, { ...options, timeoutMs }, hooks.beforeEvent)
  return listening.open()
}

// The client chooses the ids, because a route is added before its request is sent. They are counted per session.
const lastNumberOf = new WeakMap<object, number>()

function nextId(session: object): RequestId {
  const number = (lastNumberOf.get(session) ?? 0) + 1
  lastNumberOf.set(session, number)
  return `listen-${number}`
}

/** One subscription, over all requests that it takes to keep it open. */
class ModernListening implements SubscriptionRoute {
  readonly #session: ListeningSession
  readonly #requested: CheckedFilter
  readonly #options: ListenOptions & { timeoutMs: number }
  readonly #beforeEvent: ((event: ChangeEvent) => Promise<void>) | undefined
  readonly #opened = createDeferred<Subscription>()
  readonly #request = new AbortController()
  #id: RequestId
  #subscription: EventSubscription | undefined
  #lost: SubscriptionLost | undefined
  #timer: Timer | undefined
  readonly #backoff = new Backoff(REOPEN_DELAYS)
  /** Requests in a row that were not acknowledged. */
  #failures = 0

  constructor(
    session: ListeningSession,
    requested: CheckedFilter,
    options: ListenOptions & { timeoutMs: number },
    beforeEvent: ((event: ChangeEvent) => Promise<void>) | undefined,
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

  get subscription(): EventSubscription | undefined {
    return this.#subscription
  }

  acknowledged(granted: SubscriptionFilter): void {
    const honored = intersectFilters(this.#requested, granted)
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
    const event = toServerEvent(method, params) ?? this.#session.filters.toEvent(method, params)
    if (event !== undefined) this.#subscription?.receive(event)
  }

  /** Waits briefly for the response, which makes even a cancellation a normal end. */
  lost(reason: SubscriptionLost): void {
    this.#lost = reason
    this.#setTimer(RESPONSE_AFTER_CANCEL_MS, () => this.#request.abort(reason))
  }

  ended(): void {
    this.#subscription?.complete()
  }

  async #listen(): Promise<void> {
    for (;;) {
      try {
        await this.#send()
        this.#completed()
        return
      } catch (error) {
        if (!this.#mayReopen(error) || !(await this.#waitToReopen())) {
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
      const params = { notifications: this.#requested as JSONObject }
      await this.#session.request(METHOD, params, meta === undefined ? options : { ...options, meta })
    } finally {
      unroute()
    }
  }

  /** Only a subscription whose connection broke off is reopened, not one that the server or the caller ended. */
  #mayReopen(error: unknown): boolean {
    const { reopen = true } = this.#options
    if (!reopen || this.#subscription === undefined || this.#session.endSignal?.aborted !== false) return false
    if (this.#lost !== undefined || this.#request.signal.aborted || this.#failures >= MAX_REOPEN_FAILURES) return false
    return isStreamLost(error) || (this.#failures > 0 && isConnectionFailure(error))
  }

  /** Resolves to whether the subscription is still wanted. */
  async #waitToReopen(): Promise<boolean> {
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
    // The server ended the subscription without an acknowledgement: it grants nothing.
    const subscription = this.#subscription ?? this.#start({})
    subscription.complete()
  }

  #failed(error: unknown): void {
    if (this.#subscription === undefined) this.#opened.reject(error)
    else this.#subscription.lose(this.#lost ?? brokenOff(error))
  }

  #start(honored: CheckedFilter): EventSubscription {
    clearTimeout(this.#timer)
    const subscription = new EventSubscription({
      id: this.#id,
      requested: this.#requested,
      honored,
      owned: this.#session.filters,
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

function brokenOff(cause: unknown): SubscriptionLost {
  return new SubscriptionLost('The connection of the subscription broke off. Listen again to continue.', { cause })
}
