// A single flight: work that runs once for all requests that wait for it. A request that is cancelled stops waiting alone.
import { cancelReasonOf, isRequestCancelled, type PostRequest } from '../../../http/poster.ts'
import { forgetAbort, listenForAbort } from '../../../primitives/async/abort.ts'

/** A request that waits: its signals of cancellation, and `hold`, which stops its timeout. */
export type WaitingRequest = Pick<PostRequest, 'signal' | 'canceller' | 'hold'>

/** After a cancelled request the caller may send another one, which can still use the same login. */
const GRACE_MS = 2_000

/** Running work. Its signal aborts only while the user has to act and no request waits any more. */
export class Flight<T> {
  readonly #controller = new AbortController()
  readonly #result: Promise<T>
  readonly #waiters = new Set<Waiter>()
  #needsUser = false
  #isUserActing = false

  constructor(work: (flight: Flight<T>) => Promise<T>) {
    // Starts in a microtask, so that the owner has the flight before the work can end.
    this.#result = Promise.resolve(this).then(work)
    // Requests that wait get the error. Without any, it is not an unhandled rejection.
    this.#result.catch(() => {})
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** From here on the user has to act, unless no request waits any more. */
  requireUser(): void {
    this.#needsUser = true
    this.#abortIfUnwanted()
  }

  /** While the user acts, the timeouts of the requests that wait are stopped. All other work counts against them. */
  async whileUserActs<R>(act: () => Promise<R>): Promise<R> {
    this.#isUserActing = true
    for (const waiter of this.#waiters) waiter.hold()
    try {
      return await act()
    } finally {
      this.#isUserActing = false
      for (const waiter of this.#waiters) waiter.release()
    }
  }

  /** The result of the work. Rejects as soon as the request is cancelled. */
  join(request: WaitingRequest): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter = new Waiter(request, (reason) => {
        this.#leave(waiter)
        reject(reason)
      })
      if (!waiter.start()) return
      this.#waiters.add(waiter)
      if (this.#isUserActing) waiter.hold()
      this.#result.then(resolve, reject).finally(() => this.#leave(waiter))
    })
  }

  #leave(waiter: Waiter): void {
    waiter.stop()
    if (this.#waiters.delete(waiter)) this.#abortIfUnwanted()
  }

  #abortIfUnwanted(): void {
    if (!this.#needsUser || this.#waiters.size > 0) return
    const end = () => {
      if (this.#waiters.size === 0)
        this.#controller.abort(new DOMException('No request waits for the login any more', 'AbortError'))
    }
    const timer = setTimeout(end, GRACE_MS)
    this.#result.finally(() => clearTimeout(timer)).catch(() => {})
  }
}

class Waiter {
  readonly #request: WaitingRequest
  readonly #onCancelled: () => void
  #release: (() => void) | undefined

  constructor(request: WaitingRequest, onCancelled: (reason: unknown) => void) {
    this.#request = request
    this.#onCancelled = () => onCancelled(cancelReasonOf(request))
  }

  /** Whether the request still waits. Calls the listener if it is cancelled already. */
  start(): boolean {
    const { signal, canceller } = this.#request
    if (isRequestCancelled(this.#request)) {
      this.#onCancelled()
      return false
    }
    canceller?.listen(this.#onCancelled)
    if (signal !== undefined) listenForAbort(signal, this.#onCancelled)
    return true
  }

  hold(): void {
    this.#release ??= this.#request.hold?.()
  }

  release(): void {
    this.#release?.()
    this.#release = undefined
  }

  stop(): void {
    const { signal, canceller } = this.#request
    canceller?.forget(this.#onCancelled)
    if (signal !== undefined) forgetAbort(signal, this.#onCancelled)
    this.release()
  }
}
