// What comes from the server: its questions to the callbacks, its notifications to whoever waits for them.
import type { DispatchContext } from '../dispatcher/dispatcher.ts'
import type { FaultReporter } from '../dispatcher/fault.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import type { JSONObject } from '../types/json.ts'
import type { RequestId } from '../types/jsonrpc.ts'
import type { LoggingMessageNotificationParams } from '../types/logging.ts'
import { checkNotification } from '../wire/check.ts'
import { notificationRow } from '../wire/methods.ts'
import type { Agreement } from './agreement.ts'
import { BindingQueue } from './binding-queue.ts'
import { type ClientCallbackContext, metaOf, type ServerMessage } from './callbacks.ts'
import type { Questions } from './questions.ts'
import type { ClientSession } from './session.ts'
import type { ClientSessionOptions } from './session-options.ts'
import type { SubscriptionRoutes } from './subscription-routes.ts'

const CANCELLED = 'notifications/cancelled'
const LOG_MESSAGE = 'notifications/message'

/** What the receiving side needs from its session. */
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

  constructor(host: InboundHost) {
    this.#host = host
    const { session, faults, options } = host
    const { notificationBindings = [] } = options
    this.#bindings = new Map(
      notificationBindings.map((binding) => [binding.method, new BindingQueue(binding, session, faults)]),
    )
  }

  async onRequest(dispatch: DispatchContext, method: string, params: JSONObject | undefined): Promise<JSONObject> {
    const { faults, questions, session } = this.#host
    const era = this.#host.agreement.era
    const requestId = dispatch.requestId as RequestId
    if (!era.hasServerRequests) throw this.#refuseRequest(method, requestId)
    try {
      return await questions.answer(era, { method, params }, createContext(session, dispatch, requestId, params))
    } catch (error) {
      if (error instanceof MCPError && !error.local) throw error
      faults.report({
        kind: 'callback-failed',
        message: `The callback for '${method}' failed`,
        method,
        requestId,
        error,
      })
      throw new MCPError(ErrorCode.InternalError, 'Internal error')
    }
  }

  /** Runs at once as far as subscriptions are concerned; returns a promise only where a callback does. */
  onNotify(dispatch: DispatchContext, method: string, params: JSONObject | undefined): Promise<void> | undefined {
    const { routes, session } = this.#host
    const { version } = this.#host.agreement.era
    if (method === CANCELLED) {
      // The dispatcher has seen to those that name a request of the server.
      routes.cancel(params)
      return undefined
    }
    if (notificationRow(method, version, 'server') === undefined) {
      this.#bindings.get(method)?.push(params ?? {})
      return undefined
    }
    if (!this.#isValid(method, params) || routes.deliver(method, params) === 'consumed') return undefined
    return this.#tell(method, params ?? {}, createContext(session, dispatch, undefined, params))
  }

  close(): void {
    for (const queue of this.#bindings.values()) queue.close()
  }

  #refuseRequest(method: string, requestId: RequestId): MCPError {
    const message = 'The server sent a request, which its protocol revision does not allow'
    this.#host.faults.report({ kind: 'invalid-message', message, method, requestId })
    return new MCPError(ErrorCode.MethodNotFound, 'This protocol revision has no requests from a server')
  }

  #isValid(method: string, params: JSONObject | undefined): boolean {
    try {
      checkNotification(method, this.#host.agreement.era.version, params, 'server')
      return true
    } catch (error) {
      const message = `A notification '${method}' was dropped: its params do not fit`
      this.#host.faults.report({ kind: 'invalid-message', message, method, error })
      return false
    }
  }

  /** Log messages to `onLog` first, then everything to `onMessage`. */
  #tell(method: string, params: JSONObject, ctx: ClientCallbackContext): Promise<void> | undefined {
    const { onLog, onMessage } = this.#host.options
    const message = { method, params } as ServerMessage
    const tellAll = () => this.#contain(method, () => onMessage?.(message, ctx))
    if (method !== LOG_MESSAGE || onLog === undefined) return tellAll()
    const logging = this.#contain(method, () => onLog(params as LoggingMessageNotificationParams, ctx))
    return logging === undefined ? tellAll() : logging.then(tellAll)
  }

  /** A callback that fails costs only itself. */
  #contain(method: string, call: () => void | Promise<void>): Promise<void> | undefined {
    const failed = (error: unknown) =>
      this.#host.faults.report({
        kind: 'notification-failed',
        message: `A callback for notification '${method}' failed`,
        method,
        error,
      })
    try {
      const outcome = call()
      return outcome instanceof Promise ? outcome.catch(failed) : undefined
    } catch (error) {
      failed(error)
      return undefined
    }
  }
}

function createContext<Id extends RequestId | undefined>(
  session: ClientSession,
  dispatch: DispatchContext,
  requestId: Id,
  params: JSONObject | undefined,
): ClientCallbackContext & { readonly requestId: Id } {
  return {
    session,
    requestId,
    // Made when asked for: most callbacks never look at it.
    get signal() {
      return dispatch.signal
    },
    meta: metaOf(params),
  }
}
