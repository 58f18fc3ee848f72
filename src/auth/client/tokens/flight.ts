// One piece of work that many wait for: whoever stops waiting stops waiting alone.
import { cancelReasonOf, isRequestCancelled, type PostRequest } from '../../../http/poster.ts'
import { forgetAbort, listenForAbort } from '../../../primitives/async/abort.ts'

/** A request that waits: what gives it up, and what keeps it from being given up for taking long. */
export type Waiting = Pick<PostRequest, 'signal' | 'canceller' | 'hold'>

/** Whoever lost patience with one request may be about to send the next, which can still use the same login. */
const GRACE_MS = 2_000

/** Work under way. Its signal aborts only while a person is waited for, once nobody waits for the work any more. */
export class Flight<T> {
  readonly #controller = new AbortController()
  readonly #result: Promise<T>
  readonly #waiters = new Set<Waiter>()
  #isForPerson = false
  #isPersonActing = false

  constructor(work: (flight: Flight<T>) => Promise<T>) {
    // Later, so that the flight is known to its owner before the work can end.
    this.#result = Promise.resolve(this).then(work)
    // Those who wait are told; that nobody does is no fault.
    this.#result.catch(() => {})
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** From here on a person has to act, who need not where nobody waits any more. */
  waitForPerson(): void {
    this.#isForPerson = true
    this.#endIfDeserted()
  }

  /** A person cannot be hurried: meanwhile no time counts against the requests that wait. All other work is within their time. */
  async whilePersonActs<R>(act: () => Promise<R>): Promise<R> {
    this.#isPersonActing = true
    for (const waiter of this.#waiters) waiter.hold()
    try {
      return await act()
    } finally {
      this.#isPersonActing = false
      for (const waiter of this.#waiters) waiter.release()
    }
  }

  /** The result of the work; rejects as soon as the waiting request is given up. */
  join(request: Waiting): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter = new Waiter(request, (reason) => {
        this.#leave(waiter)
        reject(reason)
      })
      if (!waiter.start()) return
      this.#waiters.add(waiter)
      if (this.#isPersonActing) waiter.hold()
      this.#result.then(resolve, reject).finally(() => this.#leave(waiter))
    })
  }

  #leave(waiter: Waiter): void {
    waiter.stop()
    if (this.#waiters.delete(waiter)) this.#endIfDeserted()
  }

  #endIfDeserted(): void {
    if (!this.#isForPerson || this.#waiters.size > 0) return
    const end = () => {
      if (this.#waiters.size === 0) this.#controller.abort(new DOMException('Nobody waits for the login', 'AbortError'))
    }
    const timer = setTimeout(end, GRACE_MS)
    this.#result.finally(() => clearTimeout(timer)).catch(() => {})
  }
}

class Waiter {
  readonly #request: Waiting
  readonly #abandon: () => void
  #release: (() => void) | undefined

  constructor(request: Waiting, onGivenUp: (reason: unknown) => void) {
    this.#request = request
    this.#abandon = () => onGivenUp(cancelReasonOf(request))
  }

  /** Whether the request is still wanted; it says so itself where it is not. */
  start(): boolean {
    const { signal, canceller } = this.#request
    if (isRequestCancelled(this.#request)) {
      this.#abandon()
      return false
    }
    canceller?.listen(this.#abandon)
    if (signal !== undefined) listenForAbort(signal, this.#abandon)
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
    canceller?.forget(this.#abandon)
    if (signal !== undefined) forgetAbort(signal, this.#abandon)
    this.release()
  }
}
