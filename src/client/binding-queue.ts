// Delivers vendor notifications to one binding: serially, in order, and never making the connection wait.
import type { FaultKind, FaultReporter } from '../dispatcher/fault.ts'
import { BoundedQueue } from '../primitives/queue.ts'
import type { JSONObject } from '../types/json.ts'
import { type ClientCallbackContext, metaOf } from './callbacks.ts'
import type { NotificationBinding } from './extension.ts'
import type { ClientSession } from './session.ts'

/** Notifications that may wait for the handler of one binding. */
const CAPACITY = 256

interface Delivery {
  readonly params: JSONObject
  readonly context: ClientCallbackContext
}

export class BindingQueue {
  readonly #binding: NotificationBinding
  readonly #session: ClientSession
  readonly #faults: FaultReporter
  readonly #queue = new BoundedQueue<Delivery>(CAPACITY)
  readonly #closing = new AbortController()
  #isRunning = false

  constructor(binding: NotificationBinding, session: ClientSession, faults: FaultReporter) {
    this.#binding = binding
    this.#session = session
    this.#faults = faults
  }

  push(params: JSONObject): void {
    const delivery = this.#prepare(params)
    if (delivery === undefined) return
    if (!this.#isRunning) void this.#run()
    if (this.#queue.push(delivery) === undefined) return
    this.#report('overflow', 'A notification was dropped: the handler of its binding does not keep up')
  }

  /** Forgets what waits. A handler that is at work is told by its signal. */
  close(): void {
    this.#queue.discard()
    this.#closing.abort(new DOMException('The session has ended', 'AbortError'))
  }

  #prepare(params: JSONObject): Delivery | undefined {
    const context = {
      session: this.#session,
      requestId: undefined,
      signal: this.#closing.signal,
      meta: metaOf(params),
    }
    try {
      const parsed = this.#binding.parse === undefined ? params : this.#binding.parse(params)
      return { params: parsed, context }
    } catch (error) {
      this.#report('invalid-message', 'A notification was dropped: its params do not suit its binding', error)
      return undefined
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for await (const { params, context } of this.#queue) {
      try {
        await this.#binding.handle(params, context)
      } catch (error) {
        this.#report('notification-failed', `The binding of notification '${this.#binding.method}' failed`, error)
      }
    }
  }

  #report(kind: FaultKind, message: string, error?: unknown): void {
    const { method } = this.#binding
    this.#faults.report(error === undefined ? { kind, message, method } : { kind, message, method, error })
  }
}
