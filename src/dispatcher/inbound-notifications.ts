// Inbound notifications: handled in the order received, with their errors contained and their number bounded.

import { isThenable } from '../primitives/async/promises.ts'
import { LazySet } from '../primitives/lazy-collections.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ReceiveHints } from './channel.ts'
import { InboundContext, transportOf } from './context.ts'
import type { OnNotify, Outbound } from './dispatcher.ts'
import type { FaultReporter } from './fault.ts'

interface NotificationHost extends Outbound {
  readonly faults: FaultReporter
}

export class InboundNotifications {
  readonly #host: NotificationHost
  readonly #max: number
  readonly #onFewer: () => void
  /** Those whose handlers have not ended yet. */
  readonly #running = new LazySet<InboundContext>()
  #onNotify: OnNotify = () => {}

  /** `onFewer` is called each time a handler has ended. */
  constructor(host: NotificationHost, max: number, onFewer: () => void) {
    this.#host = host
    this.#max = max
    this.#onFewer = onFewer
  }

  open(onNotify: OnNotify): void {
    this.#onNotify = onNotify
  }

  /** Time to ask the channel for a pause. Beyond twice the limit, notifications are dropped. */
  get isCrowded(): boolean {
    return this.#running.size >= this.#max
  }

  /** What its handler asks the transport to wait for, before anything has been returned to it. */
  offer(method: string, params: JSONObject | undefined, hints: ReceiveHints | undefined): Promise<void> | undefined {
    if (this.#running.size >= this.#max * 2) {
      this.drop(method)
      return undefined
    }
    const context = new InboundContext(this.#host, transportOf(hints), undefined, params, hints?.relatedRequestId)
    try {
      const outcome = this.#onNotify(context, method, params)
      if (isThenable(outcome)) this.#follow(context, method, Promise.resolve(outcome))
      else context.seal()
    } catch (error) {
      context.seal()
      this.#failed(method, error)
    }
    return context.delivery
  }

  drop(method: string): void {
    const message = 'A notification was dropped: too many are being handled'
    this.#host.faults.report({ kind: 'overflow', message, method })
  }

  /** Aborts the handlers that run; later notifications are ignored. */
  close(reason: unknown): void {
    this.#onNotify = () => {}
    for (const context of this.#running) context.abort(reason)
  }

  #follow(context: InboundContext, method: string, outcome: Promise<void>): void {
    this.#running.add(context)
    void outcome
      .catch((error: unknown) => this.#failed(method, error))
      .then(() => {
        context.seal()
        this.#running.delete(context)
        this.#onFewer()
      })
  }

  #failed(method: string, error: unknown): void {
    const message = `The handler of notification '${method}' failed`
    this.#host.faults.report({ kind: 'notification-failed', message, method, error })
  }
}
