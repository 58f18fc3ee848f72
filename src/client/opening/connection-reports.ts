// Reports to `onConnection` how the connection of a client is doing, from its opening to its end.
import type { ConnectionEvent, OnConnection } from '../../dispatcher/channel.ts'
import { FaultReporter, type OnFault } from '../../dispatcher/fault.ts'
import { listenForAbort } from '../../primitives/async/abort.ts'
import { MCPError } from '../../types/errors/errors.ts'

export class ConnectionReports {
  readonly #listener: OnConnection | undefined
  readonly #faults: FaultReporter
  readonly #onRenewed = new Set<() => void>()
  readonly #onNotificationsLost = new Set<(reason: Error) => void>()
  #notificationsLost: Error | undefined
  #isOpen = false

  constructor(listener: OnConnection | undefined, onFault: OnFault | undefined) {
    this.#listener = listener
    this.#faults = new FaultReporter(onFault)
  }

  /** The client can be used until `end` aborts. */
  opened(end: AbortSignal): void {
    if (this.#listener === undefined) return
    this.#isOpen = true
    void this.#report({ type: 'open' })
    if (end.aborted) this.#closed(end.reason)
    else listenForAbort(end, () => this.#closed(end.reason))
  }

  /** Forwards an event of the transport. While the client opens, a failure rejects `open()` and is not reported here. */
  forward(event: ConnectionEvent): void {
    if (event.type === 'recovered' && event.isNewSession) {
      this.#notificationsLost = undefined
      for (const renew of this.#onRenewed) renew()
    } else if (event.type === 'notifications-lost') {
      this.#notificationsLost = event.reason
      for (const listener of this.#onNotificationsLost) listener(event.reason)
    }
    if (this.#isOpen) void this.#report(event)
  }

  /** Calls `renew` whenever the server has dropped the session and a new one is open. Returns how to stop that. */
  onRenewed(renew: () => void): () => void {
    this.#onRenewed.add(renew)
    return () => this.#onRenewed.delete(renew)
  }

  /** Calls back when notifications of the server no longer arrive, at once where that is already so. */
  onNotificationsLost(listener: (reason: Error) => void): void {
    this.#onNotificationsLost.add(listener)
    if (this.#notificationsLost !== undefined) listener(this.#notificationsLost)
  }

  #closed(end: unknown): void {
    this.#isOpen = false
    const reason = end instanceof MCPError ? end.cause : undefined
    void this.#report(reason instanceof Error ? { type: 'closed', reason } : { type: 'closed' })
  }

  /** Never rejects: a listener that fails is reported as a fault. */
  async #report(event: ConnectionEvent): Promise<void> {
    try {
      await this.#listener?.(event)
    } catch (error) {
      this.#faults.reportCallback({ kind: 'callback-failed', message: 'The onConnection listener failed.', error })
    }
  }
}
