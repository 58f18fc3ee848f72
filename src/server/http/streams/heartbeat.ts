// Comments on open streams, so that proxies do not close them: one timer for all streams.
import type { EventSink } from '../../../http/exchange.ts'
import { MAX_TIMER_MS, type Timer, unref } from '../../../primitives/async/timer.ts'
import { checkLimit } from '../../../primitives/options.ts'
import type { Figures } from '../../reports/figures.ts'

const COMMENT = 'keep-alive'
const MIN_SWEEP = 1_024

export class Heartbeat {
  readonly #intervalMs: number
  readonly #sinks = new Set<EventSink>()
  readonly #forgetFigure: (() => void) | undefined
  #timer: Timer | undefined
  /** Without comments closed streams are forgotten when there are so many. */
  #sweepAt = MIN_SWEEP

  /** `Infinity` for no comments. */
  constructor(intervalMs = 15_000, figures?: Figures) {
    this.#intervalMs = checkLimit('keepAliveMs', intervalMs)
    this.#forgetFigure = figures?.add('streams', () => this.#countOpen())
  }

  add(sink: EventSink): void {
    this.#sinks.add(sink)
    if (this.#intervalMs <= MAX_TIMER_MS) this.#schedule()
    else if (this.#sinks.size > this.#sweepAt) this.#sweepAt = Math.max(MIN_SWEEP, 2 * this.#countOpen())
  }

  delete(sink: EventSink): void {
    this.#sinks.delete(sink)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sinks.clear()
    this.#forgetFigure?.()
  }

  #countOpen(): number {
    for (const sink of this.#sinks) if (sink.isClosed) this.#sinks.delete(sink)
    return this.#sinks.size
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
