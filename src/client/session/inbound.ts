// Receives from the server: requests go to the callbacks, notifications to subscriptions, bindings and callbacks.
import { type DispatchContext, type Progress, UNANSWERED } from '../../dispatcher/dispatcher.ts'
import type { FaultKind, FaultReporter } from '../../dispatcher/fault.ts'
import { createProgress } from '../../dispatcher/progress.ts'
import { correlationKey } from '../../dispatcher/request-id.ts'
import { callBack } from '../../primitives/async/call-back.ts'
import { isThenable } from '../../primitives/async/promises.ts'
import { BoundedQueue } from '../../primitives/async/queue.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { isForCaller, MCPError } from '../../types/errors/errors.ts'
import type { LoggingMessageNotificationParams } from '../../types/features/logging.ts'
import type { ProgressNotificationParams } from '../../types/protocol/base.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { RELATED_TASK_META_KEY } from '../../types/protocol/meta.ts'
import { checkNotification } from '../../wire/check.ts'
import { notificationRow } from '../../wire/method-rows.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import type { NotificationBinding, NotificationContext } from '../extensions/extension.ts'
import type { SubscriptionRoutes } from '../subscriptions/routes.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { Agreement } from './agreement.ts'
import { type ClientCallbackContext, metaOf, type ServerMessage } from './callbacks.ts'
import type { Era } from './era.ts'
import { NOT_MINE } from './middleware.ts'
import type { Questions } from './questions.ts'
import type { ClientSession } from './session.ts'
import type { ClientSessionOptions } from './session-options.ts'

/** Notifications that may wait for the handler of one binding. */
const MAX_WAITING = 256

interface Delivery {
  readonly params: JSONObject
  readonly context: NotificationContext
}

class BindingQueue {
  readonly #binding: NotificationBinding
  readonly #session: ClientSession
  readonly #faults: FaultReporter
  readonly #queue = new BoundedQueue<Delivery>(MAX_WAITING)
  readonly #closing = new AbortController()
  #isRunning = false

  constructor(binding: NotificationBinding, session: ClientSession, faults: FaultReporter) {
    this.#binding = binding
    this.#session = session
    this.#faults = faults
  }

  push(params: JSONObject, subscription: Subscription | undefined): void {
    const delivery = this.#prepare(params, subscription)
    if (delivery === undefined) return
    if (!this.#isRunning) void this.#run()
    if (this.#queue.push(delivery) === undefined) return
    this.#report('overflow', 'A notification was dropped because the handler of its binding is too slow.')
  }

  /** Drops waiting notifications. The signal of a running handler aborts. */
  close(): void {
    this.#queue.discard()
    this.#closing.abort(new DOMException('The session has ended.', 'AbortError'))
  }

  #prepare(params: JSONObject, subscription: Subscription | undefined): Delivery | undefined {
    const context = {
      session: this.#session,
      requestId: undefined,
      signal: this.#closing.signal,
      meta: metaOf(params),
      subscription,
    }
    try {
      const parsed = this.#binding.parse === undefined ? params : this.#binding.parse(params)
      return { params: parsed, context }
    } catch (error) {
      this.#report('invalid-message', 'A notification was dropped because its binding rejected the params.', error)
      return undefined
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for await (const { params, context } of this.#queue) {
      try {
        await this.#binding.handle(params, context)
      } catch (error) {
        this.#report('notification-failed', `The binding of the notification '${this.#binding.method}' failed.`, error)
      }
    }
  }

  #report(kind: FaultKind, message: string, error?: unknown): void {
    const { method } = this.#binding
    this.#faults.report(error === undefined ? { kind, message, method } : { kind, message, method, error })
  }
}

const CANCELLED = 'notifications/cancelled'
const LOG_MESSAGE = 'notifications/message'
const PROGRESS = 'notifications/progress'

/** The parts of a session that the receiving side needs. `session` only goes to callbacks. */
export interface InboundHost {
  readonly session: ClientSession
  readonly options: ClientSessionOptions
  readonly faults: FaultReporter
  readonly routes: SubscriptionRoutes
  readonly questions: Questions
  readonly agreement: Agreement
}

export class Inbound {
  readonly #host: InboundHost
  readonly #bindings: ReadonlyMap<string, BindingQueue>
  /** By progress token: those that go on listening when the request of the token has been answered. */
  readonly #followers = new Map<RequestId, (progress: Progress) => void>()

  constructor(host: InboundHost) {
    this.#host = host
    const { session, faults, options } = host
    const { notificationBindings = [] } = options
    this.#bindings = new Map(
      notificationBindings.map((binding) => [binding.method, new BindingQueue(binding, session, faults)]),
    )
  }

  async onRequest(
    dispatch: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): Promise<JSONObject | typeof UNANSWERED> {
    const tapped = await this.#host.options.tap?.onRequest?.(dispatch, method, params)
    if (tapped !== undefined && tapped !== NOT_MINE) return tapped
    const { faults, questions, session } = this.#host
    const era = this.#host.agreement.era
    const requestId = dispatch.requestId as RequestId
    if (!era.hasServerRequests) return this.#ignoreRequest(method, requestId)
    try {
      const answer = await questions.answer(
        era,
        { method, params },
        new CallbackContext(session, dispatch, requestId, params),
      )
      return tagAnswer(era, params, answer)
    } catch (error) {
      if (isForCaller(error)) throw error
      faults.report({
        kind: 'callback-failed',
        message: `The callback for '${method}' failed.`,
        method,
        requestId,
        error,
      })
      throw new MCPError(ErrorCode.InternalError, 'Internal error')
    }
  }

  /** Subscriptions get it at once. The promise is that of the callbacks, where there are any. */
  onNotify(dispatch: DispatchContext, method: string, params: JSONObject | undefined): Promise<void> | undefined {
    const { tap } = this.#host.options
    const tapped = tap?.onNotify === undefined ? NOT_MINE : tap.onNotify(dispatch, method, params)
    if (tapped === undefined) return undefined
    if (tapped === NOT_MINE) return this.#handleNotification(dispatch, method, params)
    return Promise.resolve(tapped).then((outcome) =>
      outcome === NOT_MINE ? this.#handleNotification(dispatch, method, params) : undefined,
    )
  }

  #handleNotification(
    dispatch: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): Promise<void> | undefined {
    const { routes, session } = this.#host
    const { version } = this.#host.agreement.era
    if (method === CANCELLED) {
      // The dispatcher has cancelled the request of the server, if the message names one.
      routes.cancel(params)
      return undefined
    }
    if (notificationRow(method, version, 'server') === undefined) {
      routes.deliver(method, params)
      this.#bindings.get(method)?.push(params ?? {}, routes.subscriptionOf(params))
      return undefined
    }
    if (!this.#isValid(method, params)) return undefined
    if (method === PROGRESS && this.#followers.size > 0) this.#follow(params as ProgressNotificationParams)
    if (routes.deliver(method, params) === 'consumed') return undefined
    if (!this.#hasListener(method)) return undefined
    return this.#callListeners(method, params ?? {}, new CallbackContext(session, dispatch, undefined, params))
  }

  close(): void {
    for (const queue of this.#bindings.values()) queue.close()
  }

  /** Calls the listener with progress of a request that has been answered with a task. The returned function ends that. */
  followProgress(token: RequestId, listener: (progress: Progress) => void): () => void {
    const key = correlationKey(token)
    this.#followers.set(key, listener)
    return () => void this.#followers.delete(key)
  }

  #follow({ progressToken, progress, total, message }: ProgressNotificationParams): void {
    const listener = this.#followers.get(correlationKey(progressToken))
    if (listener === undefined) return
    callBack(listener, createProgress(progress, total, message), (error) => this.#reportFailed(PROGRESS, error))
  }

  /** Spec, Transports: since 2026-07-28 a server sends only responses and notifications. */
  #ignoreRequest(method: string, requestId: RequestId): typeof UNANSWERED {
    const message = 'The server sent a request, which its protocol revision does not allow. It was ignored.'
    this.#host.faults.report({ kind: 'invalid-message', message, method, requestId })
    return UNANSWERED
  }

  #isValid(method: string, params: JSONObject | undefined): boolean {
    try {
      checkNotification(method, this.#host.agreement.era.version, params, 'server')
      return true
    } catch (error) {
      const message = `The notification '${method}' was dropped because its params are invalid.`
      this.#host.faults.report({ kind: 'invalid-message', message, method, error })
      return false
    }
  }

  #hasListener(method: string): boolean {
    const { onLog, onMessage } = this.#host.options
    return onMessage !== undefined || (method === LOG_MESSAGE && onLog !== undefined)
  }

  /**
   * Log messages to `onLog` first, then everything to `onMessage`. Not async: a notification whose callbacks return at once is
   * done at once, so that a burst of them does not count as work in progress, which is bounded.
   */
  #callListeners(method: string, params: JSONObject, ctx: ClientCallbackContext): Promise<void> | undefined {
    const { onLog, onMessage } = this.#host.options
    const callOnMessage = () => this.#guard(method, () => onMessage?.({ method, params } as ServerMessage, ctx))
    if (method !== LOG_MESSAGE || onLog === undefined) return callOnMessage()
    const logging = this.#guard(method, () => onLog(params as LoggingMessageNotificationParams, ctx))
    return logging === undefined ? callOnMessage() : logging.then(callOnMessage)
  }

  /** Reports the failure of a callback as a fault. */
  #guard(method: string, callListener: () => void | Promise<void>): Promise<void> | undefined {
    try {
      const outcome = callListener()
      if (isThenable(outcome)) {
        return Promise.resolve(outcome).catch((error: unknown) => this.#reportFailed(method, error))
      }
    } catch (error) {
      this.#reportFailed(method, error)
    }
    return undefined
  }

  #reportFailed(method: string, error: unknown): void {
    const message = `A callback for the notification '${method}' failed.`
    this.#host.faults.reportCallback({ kind: 'notification-failed', message, method, error })
  }
}

/** Spec 2025-11-25, Tasks: the answer to a question of a task names that task, as the question does. */
function tagAnswer({ version }: Era, params: JSONObject | undefined, answer: JSONObject): JSONObject {
  const taskId = ownMember(ownMember(params?.['_meta'], RELATED_TASK_META_KEY), 'taskId')
  if (typeof taskId !== 'string' || !grammarOf(version).has('RelatedTaskMetadata')) return answer
  const meta = answer['_meta']
  return { ...answer, _meta: { ...(isPlainObject(meta) ? meta : {}), [RELATED_TASK_META_KEY]: { taskId } } }
}

/** Creates `signal` and `meta` on first use, since most callbacks read neither. */
class CallbackContext<Id extends RequestId | undefined> implements ClientCallbackContext {
  readonly session: ClientSession
  readonly requestId: Id
  readonly #dispatch: DispatchContext
  readonly #params: JSONObject | undefined

  constructor(session: ClientSession, dispatch: DispatchContext, requestId: Id, params: JSONObject | undefined) {
    this.session = session
    this.requestId = requestId
    this.#dispatch = dispatch
    this.#params = params
  }

  get signal(): AbortSignal {
    return this.#dispatch.signal
  }

  get meta(): ReturnType<typeof metaOf> {
    return metaOf(this.#params)
  }
}
