// Identical calls at the same time share one request.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/promises.ts'

/** Sends the request. Its signal, where the first caller has one, aborts when all callers have left. */
type SendShared<T> = (signal: AbortSignal | undefined) => Promise<T>

/** Requests in flight by key. Each further caller gets a copy of the result; the request is cancelled when the last caller leaves. */
export class SharedRequests<T extends object> {
  readonly #requests = new Map<string, SharedRequest<T>>()

  /** Joins the request with this key, or sends it. Rejects with the signal's reason when that aborts. */
  join(key: string, signal: AbortSignal | undefined, send: SendShared<T>): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const request = this.#requests.get(key) ?? this.#start(key, signal, send)
    return request.join(signal)
  }

  #start(key: string, signal: AbortSignal | undefined, send: SendShared<T>): SharedRequest<T> {
    // A caller without a signal stays to the end, so nothing can cancel its request.
    const controller = signal === undefined ? undefined : new AbortController()
    const request = new SharedRequest(send(controller?.signal), controller, () => this.#forget(key, request))
    this.#requests.set(key, request)
    return request
  }

  #forget(key: string, request: SharedRequest<T>): void {
    if (this.#requests.get(key) === request) this.#requests.delete(key)
  }
}

class SharedRequest<T extends object> {
  readonly #result: Promise<T>
  readonly #controller: AbortController | undefined
  readonly #onEnd: () => void
  /** Callers that ever joined. */
  #joined = 0
  /** Callers that still wait. */
  #waiting = 0

  constructor(result: Promise<T>, controller: AbortController | undefined, onEnd: () => void) {
    this.#result = result
    this.#controller = controller
    this.#onEnd = onEnd
    result.then(onEnd, onEnd)
  }

  async join(signal: AbortSignal | undefined): Promise<T> {
    this.#joined += 1
    this.#waiting += 1
    const result = await (signal === undefined ? this.#result : this.#resultUnlessAborted(signal))
    return this.#joined === 1 ? result : structuredClone(result)
  }

  async #resultUnlessAborted(signal: AbortSignal): Promise<T> {
    const left = createDeferred<never>()
    const leave = () => {
      left.reject(signal.reason)
      this.#leave(signal.reason)
    }
    listenForAbort(signal, leave)
    try {
      return await Promise.race([this.#result, left.promise])
    } finally {
      forgetAbort(signal, leave)
    }
  }

  #leave(reason: unknown): void {
    this.#waiting -= 1
    if (this.#waiting > 0) return
    // No caller may join a request that is being cancelled.
    this.#onEnd()
    this.#controller?.abort(reason)
  }
}
