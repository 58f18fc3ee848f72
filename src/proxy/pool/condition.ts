// How a source is, as far as its connections and requests show it: what its author hears of it, and whether it is asked at all.

import { SignInRequired } from '../../auth/client/sign-in-required.ts'
import { type Fault, type FaultReporter, hideInFaults } from '../../dispatcher/fault.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { Once } from '../../primitives/once.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { inNameOf, proxyFailure } from '../base/failures.ts'
import type { ProxyOptions, UpstreamEvent } from '../base/options.ts'
import { Secrets } from '../base/secrets.ts'
import { Breaker } from './breaker.ts'
import type { UpstreamHealth } from './health.ts'

export class Condition {
  readonly secrets = new Secrets()
  readonly breaker = new Breaker()
  readonly #name: string
  readonly #faults: FaultReporter
  readonly #onUpstream: ProxyOptions['onUpstream']
  readonly #onReturn: () => void
  readonly #once = new Once()
  #isAway = false
  /** Whether requests did not get there, over connections that are none. */
  #isUnreached = false
  #state: UpstreamHealth['state'] = 'idle'
  #since = Date.now()
  #lastError: string | undefined
  #silentUntil = -Infinity

  /** `onReturn` is called when the source is there again after it was away: what it offers may be something else. */
  constructor(name: string, faults: FaultReporter, onUpstream: ProxyOptions['onUpstream'], onReturn: () => void) {
    this.#name = name
    this.#faults = faults
    this.#onUpstream = onUpstream
    this.#onReturn = onReturn
  }

  get state(): UpstreamHealth['state'] {
    return this.breaker.retryAfterMs > 0 || this.#silentUntil > monotonicNow() ? 'failed' : this.#state
  }

  get since(): number {
    return this.#since
  }

  get lastError(): string | undefined {
    return this.#lastError
  }

  /** A connection is open. */
  opened(): void {
    this.breaker.succeeded()
    this.enter('ready')
    this.#returned()
  }

  /** A connection did not open. */
  failedToOpen(error: unknown): void {
    this.breaker.failed()
    this.#isAway = true
    this.#failed(error)
  }

  /** A connection that was open is no more. */
  lost(error: unknown): void {
    this.#isAway = true
    this.enter('lost', error)
    this.report({ kind: 'transport', message: `The connection to '${this.#name}' was lost.`, error })
  }

  /** This side has closed a connection; so many are still open. */
  closed(left: number): void {
    if (left === 0 && this.#state === 'ready') this.enter('idle')
    this.#tell('closed')
  }

  /** Every connection is closed, and none is to follow. */
  end(): void {
    this.#state = 'closed'
    this.#since = Date.now()
  }

  /** A request has got there. */
  reached(): void {
    if (this.#isUnreached) this.opened()
  }

  /** A request did not get there, although its connection is open: one over HTTP is not known to be closed. */
  unreached(error: unknown): void {
    this.#isUnreached = true
    this.#isAway = true
    this.breaker.failed()
    if (this.#state !== 'failed') this.#failed(error)
  }

  enter(state: UpstreamHealth['state'], error?: unknown): void {
    this.#state = state
    this.#since = Date.now()
    if (error !== undefined) this.#lastError = this.textOf(error)
    if (state !== 'idle') this.#tell(state, error)
  }

  #tell(state: UpstreamEvent['state'], error?: unknown): void {
    try {
      const hidden = this.secrets.error(error)
      this.#onUpstream?.({ name: this.#name, state, ...(error !== undefined && { error: hidden }) })
    } catch (failure) {
      this.#faults.reportCallback({
        kind: 'callback-failed',
        message: 'The onUpstream listener failed.',
        error: failure,
      })
    }
  }

  report(fault: Fault): void {
    this.#faults.report(this.secrets.fault(fault))
  }

  /** Once for each text. */
  reportOnce(fault: Fault): void {
    if (this.#once.isNew(fault.message)) this.report(fault)
  }

  /** An error as it leaves this side: for the caller, and for whoever reports it. */
  leaving(thrown: unknown): unknown {
    if (!(thrown instanceof Error)) return thrown
    const error = thrown instanceof MCPError ? inNameOf(this.#name, thrown) : thrown
    hideInFaults(error, (fault) => this.secrets.fault(fault))
    // A sign-in that waits must stay the one that it is. It holds nothing of the source.
    if (error.cause !== undefined && SignInRequired.find(error) === undefined)
      error.cause = this.secrets.error(error.cause)
    return error
  }

  /** What the caller reads of a source that leads back to a proxy which the request has passed. */
  inLoop(cause: unknown): MCPError {
    const message = `The source '${this.#name}' leads back to where the request came from: the proxies form a loop.`
    const failure = proxyFailure('G031', this.#name, message, { cause })
    const remedy = 'Take one of the proxies out of the loop.'
    this.reportOnce({ kind: 'configuration-warning', message, error: failure, remedy })
    return failure
  }

  /** It did not answer in time. For so long it is not asked for this again. */
  silent(error: unknown, retryAfterMs: number): void {
    this.#lastError = this.textOf(error)
    if (retryAfterMs > 0) this.#silentUntil = Math.max(this.#silentUntil, monotonicNow() + retryAfterMs)
  }

  /** What an error says, without secrets. */
  textOf(error: unknown): string {
    return this.secrets.text(error instanceof Error ? error.message : String(error))
  }

  #failed(error: unknown): void {
    this.enter('failed', error)
    this.report({ kind: 'transport', message: `The source '${this.#name}' can't be reached.`, error })
  }

  #returned(): void {
    this.#isUnreached = false
    if (!this.#isAway) return
    this.#isAway = false
    this.#onReturn()
  }
}
