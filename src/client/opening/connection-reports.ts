// Tells a listener how the connection of a client fares, from its opening to its end and in that order.
import type { ConnectionEvent, OnConnection } from '../../dispatcher/connection-events.ts'
import { FaultReporter, type OnFault } from '../../dispatcher/fault.ts'
import { listenForAbort } from '../../primitives/async/abort.ts'
import { MCPError } from '../../types/errors/errors.ts'

export class ConnectionReports {
  readonly #listener: OnConnection | undefined
  readonly #faults: FaultReporter
  readonly #renewed = new Set<() => void>()
  #state: 'opening' | 'open' | 'closed' = 'opening'

  constructor(listener: OnConnection | undefined, onFault: OnFault | undefined) {
    this.#listener = listener
    this.#faults = new FaultReporter(onFault)
  }

  /** The client can be used, until this signal aborts. */
  opened(end: AbortSignal): void {
    if (this.#listener === undefined) return
    this.#state = 'open'
    this.#tell({ type: 'open' })
    if (end.aborted) this.#closed(end.reason)
    else listenForAbort(end, () => this.#closed(end.reason))
  }

  /** What a transport reports. While the client is being opened, its failure would be that of the opening. */
  pass(event: ConnectionEvent): void {
    if (event.type === 'recovered' && event.isNewSession) for (const again of this.#renewed) again()
    if (this.#state === 'open') this.#tell(event)
  }

  /** Calls back whenever the server has forgotten the session and there is a new one. Returns how to stop that. */
  onRenewed(again: () => void): () => void {
    this.#renewed.add(again)
    return () => this.#renewed.delete(again)
  }

  #closed(end: unknown): void {
    this.#state = 'closed'
    const reason = end instanceof MCPError ? end.cause : undefined
    this.#tell(reason instanceof Error ? { type: 'closed', reason } : { type: 'closed' })
  }

  /** A listener that fails costs only itself. */
  #tell(event: ConnectionEvent): void {
    try {
      const returned: unknown = this.#listener?.(event)
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#failed(error))
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    this.#faults.report({ kind: 'callback-failed', message: 'The onConnection listener threw', error })
  }
}
