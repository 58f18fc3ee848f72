// Modern notifications from clients: answered with 202 at once, then handled, within the limits of admission.
import { InboundContext } from '../../../dispatcher/context.ts'
import type { Outbound } from '../../../dispatcher/dispatcher.ts'
import { connectionClosedError } from '../../../dispatcher/error-policy.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { ModernVersion } from '../../../types/protocol/versions.ts'
import { ConnectionCore, type ConnectionOptions } from '../../connection.ts'
import type { ServerCore } from '../../core.ts'
import { handleNotification } from '../../runner.ts'
import { HttpTransport } from '../answers/http-transport.ts'
import { rejectTemporarily } from '../answers/reply.ts'
import type { Admission } from '../guards/admission.ts'

/** Of a message that has no answer: nothing can be sent. */
const NO_OUTBOUND: Outbound = Object.freeze({
  sendRawRequest: () => Promise.reject(connectionClosedError()),
  notify: () => Promise.resolve(),
})

export class ModernNotifications {
  readonly #server: ServerCore
  readonly #admission: Admission
  readonly #options: ConnectionOptions
  /** Those whose handlers run. */
  readonly #active = new Set<InboundContext>()

  constructor(server: ServerCore, admission: Admission, options: ConnectionOptions) {
    this.#server = server
    this.#admission = admission
    this.#options = options
  }

  /** Handles a notification at the revision that its header names. */
  receive(exchange: HttpExchange, version: ModernVersion, method: string, params: JSONObject | undefined): void {
    const { auth } = exchange
    // Spec, Streamable HTTP: what the server cannot accept is answered with an error status.
    if (!this.#admission.enterNotification(auth)) {
      const message = 'A notification was rejected: too many are being handled.'
      this.#server.faults.report({ kind: 'overflow', message, method })
      rejectTemporarily(exchange, 'The server handles too many notifications. Try again later.')
      return
    }
    exchange.reply(202)
    const context = new InboundContext(NO_OUTBOUND, new HttpTransport(exchange), undefined, params)
    this.#active.add(context)
    void this.#handle(context, version, method, params).then(() => {
      context.seal()
      this.#active.delete(context)
      this.#admission.leaveNotification(auth)
    })
  }

  /** Aborts the signals of all handlers. */
  abort(reason: unknown): void {
    for (const context of this.#active) context.abort(reason)
  }

  async #handle(
    context: InboundContext,
    protocolVersion: ModernVersion,
    method: string,
    params: JSONObject | undefined,
  ): Promise<void> {
    try {
      const connection = ConnectionCore.fromEnvelope({ protocolVersion, clientCapabilities: {} }, this.#options)
      await handleNotification(this.#server, connection, context, method, params)
    } catch (error) {
      const message = `The handler of '${method}' failed.`
      this.#server.faults.report({ kind: 'notification-failed', message, method, error })
    }
  }
}
