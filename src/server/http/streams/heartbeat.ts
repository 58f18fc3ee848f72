// Comments on open streams, so that proxies do not close them: one timer for all streams.
import type { EventSink } from '../../../http/exchange.ts'
import { MAX_TIMER_MS, type Timer, unref } from '../../../primitives/async/timer.ts'
import { checkLimit } from '../../../primitives/options.ts'

const COMMENT = 'keep-alive'

export class Heartbeat {
  readonly #intervalMs: number
  readonly #sinks = new Set<EventSink>()
  #timer: Timer | undefined

  /** `Infinity` for no comments. */
  constructor(intervalMs = 15_000) {
    this.#intervalMs = checkLimit('keepAliveMs', intervalMs)
  }

  add(sink: EventSink): void {
    if (this.#intervalMs > MAX_TIMER_MS) return
    this.#sinks.add(sink)
    this.#schedule()
  }

  delete(sink: EventSink): void {
    this.#sinks.delete(sink)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sinks.clear()
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(this.#sendComments, this.#intervalMs)
    unref(this.#timer)
  }

  readonly #sendComments = (): void => {
    this.#timer = undefined
    for (const sink of this.#sinks) {
      if (sink.isClosed) this.#sinks.delete(sink)
      else sink.comment(COMMENT)
    }
    if (this.#sinks.size > 0) this.#schedule()
  }
}
