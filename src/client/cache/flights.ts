// Identical calls that are under way at the same time share one request.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'

/** Makes the request. The signal is there when somebody who waits for it might leave. */
export type Launch<T> = (signal: AbortSignal | undefined) => Promise<T>

/**
 * Requests under way, by what they ask for. Whoever joins gets a copy of the answer. One who leaves does not cancel the
 * request for the others; the last one does.
 */
export class Flights<T extends object> {
  readonly #flights = new Map<string, Flight<T>>()

  /** Joins the flight of this name or launches it. Rejects with the signal's reason when that aborts. */
  board(name: string, signal: AbortSignal | undefined, launch: Launch<T>): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const flight = this.#flights.get(name) ?? this.#depart(name, signal, launch)
    return flight.board(signal)
  }

  #depart(name: string, signal: AbortSignal | undefined, launch: Launch<T>): Flight<T> {
    // Whoever has no signal stays to the end, and then nothing can cancel the request.
    const controller = signal === undefined ? undefined : new AbortController()
    const flight = new Flight(launch(controller?.signal), controller, () => this.#forget(name, flight))
    this.#flights.set(name, flight)
    return flight
  }

  #forget(name: string, flight: Flight<T>): void {
    if (this.#flights.get(name) === flight) this.#flights.delete(name)
  }
}

class Flight<T extends object> {
  readonly #answer: Promise<T>
  readonly #controller: AbortController | undefined
  readonly #onOver: () => void
  #boarded = 0
  #aboard = 0

  constructor(answer: Promise<T>, controller: AbortController | undefined, onOver: () => void) {
    this.#answer = answer
    this.#controller = controller
    this.#onOver = onOver
    answer.then(onOver, onOver)
  }

  async board(signal: AbortSignal | undefined): Promise<T> {
    this.#boarded += 1
    this.#aboard += 1
    const answer = await (signal === undefined ? this.#answer : this.#answerUnlessAborted(signal))
    return this.#boarded === 1 ? answer : structuredClone(answer)
  }

  async #answerUnlessAborted(signal: AbortSignal): Promise<T> {
    const left = createDeferred<never>()
    const leave = () => {
      left.reject(signal.reason)
      this.#leave(signal.reason)
    }
    listenForAbort(signal, leave)
    try {
      return await Promise.race([this.#answer, left.promise])
    } finally {
      forgetAbort(signal, leave)
    }
  }

  #leave(reason: unknown): void {
    this.#aboard -= 1
    if (this.#aboard > 0) return
    // Nobody may board a request that is being cancelled.
    this.#onOver()
    this.#controller?.abort(reason)
  }
}
