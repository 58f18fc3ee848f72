// Notifications of the modern era over HTTP: answered before they are handled, and bounded in number while they are.
import { InboundContext } from '../../dispatcher/context.ts'
import type { Outbound } from '../../dispatcher/dispatcher.ts'
import { connectionClosed } from '../../dispatcher/error-policy.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import type { JSONObject } from '../../types/json.ts'
import { LATEST_MODERN_VERSION } from '../../types/versions.ts'
import { Connection, type ConnectionOptions } from '../connection.ts'
import { handleNotification } from '../runner.ts'
import type { Server } from '../server.ts'
import type { Admission } from './admission.ts'
import { HttpTransport } from './http-transport.ts'
import { refuseForNow } from './session-errors.ts'

/** A notification has no way back. */
export const NOBODY: Outbound = Object.freeze({
  sendRawRequest: () => Promise.reject(connectionClosed()),
  notify: () => Promise.resolve(),
})

export class ModernNotices {
  readonly #server: Server
  readonly #admission: Admission
  readonly #options: ConnectionOptions
  /** Those whose handlers have not ended yet. */
  readonly #running = new Set<InboundContext>()

  constructor(server: Server, admission: Admission, options: ConnectionOptions) {
    this.#server = server
    this.#admission = admission
    this.#options = options
  }

  take(exchange: HttpExchange, method: string, params: JSONObject | undefined): void {
    const { auth } = exchange
    // Spec, Streamable HTTP: what the server cannot accept is answered with an error status.
    if (!this.#admission.enterNotice(auth)) {
      const message = 'A notification was refused: too many are being handled'
      this.#server.faults.report({ kind: 'overflow', message, method })
      refuseForNow(exchange, 'Too many notifications are being handled')
      return
    }
    exchange.reply(202)
    const context = new InboundContext(NOBODY, new HttpTransport(exchange), undefined, params)
    this.#running.add(context)
    void this.#handle(context, method, params).then(() => {
      context.seal()
      this.#running.delete(context)
      this.#admission.leaveNotice(auth)
    })
  }

  /** Tells all handlers to stop. */
  abort(reason: unknown): void {
    for (const context of this.#running) context.abort(reason)
  }

  async #handle(context: InboundContext, method: string, params: JSONObject | undefined): Promise<void> {
    const envelope = { protocolVersion: LATEST_MODERN_VERSION, clientCapabilities: {} }
    try {
      const connection = Connection.fromEnvelope(envelope, this.#options)
      await handleNotification(this.#server, connection, context, method, params)
    } catch (error) {
      const message = `The handler of '${method}' failed`
      this.#server.faults.report({ kind: 'notification-failed', message, method, error })
    }
  }
}
