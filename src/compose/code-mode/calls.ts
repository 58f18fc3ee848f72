// The calls that a script has under way: none of them outlives the script.

import { AbortableSignal } from '../../dispatcher/abortable-signal.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { type ServerRequestContext, withSignal } from '../../server/context.ts'

export class ScriptCalls {
  /** The request of the script, for its calls. */
  readonly request: ServerRequestContext
  readonly #signal: AbortableSignal
  readonly #running = new Set<Promise<unknown>>()

  constructor(request: ServerRequestContext) {
    this.#signal = new AbortableSignal(request)
    this.request = withSignal(request, this.#signal)
  }

  follow<T>(call: Promise<T>): Promise<T> {
    const ended = call.then(
      () => {},
      () => {},
    )
    this.#running.add(ended)
    void ended.then(() => this.#running.delete(ended))
    return call
  }

  /** Settles when no call is under way, or the time is over. */
  async whenDone(maxMs: number): Promise<void> {
    await settlesWithin(Promise.all(this.#running), maxMs)
  }

  stop(): void {
    this.#signal.abort(new DOMException('The script has ended.', 'AbortError'))
  }
}
