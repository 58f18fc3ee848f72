// Whether the way to the server is good, seen from everything that travels on it, and told once per change.
import type { OnConnection } from '../../dispatcher/connection-events.ts'

export class ConnectionHealth {
  readonly #listener: OnConnection | undefined
  #wasHeard = false
  #isDegraded = false
  #awaitsSession = false

  constructor(listener: OnConnection | undefined) {
    this.#listener = listener
  }

  /** Whether the server has ever answered. Until then an address may just as well be wrong. */
  get wasHeard(): boolean {
    return this.#wasHeard
  }

  /** The server answered. */
  heard(): void {
    this.#wasHeard = true
    if (this.#isDegraded && !this.#awaitsSession) this.#recovered(false)
  }

  failed(reason: Error): void {
    if (this.#isDegraded || !this.#wasHeard) return
    this.#isDegraded = true
    this.#listener?.({ type: 'degraded', reason })
  }

  /** The server answers, but has forgotten us: nothing is good again until there is a new session. */
  sessionLost(reason: Error): void {
    this.failed(reason)
    this.#awaitsSession = true
  }

  /** There is no new session, and so the old one is all that there is: should the server answer to it, it is good again. */
  renewalFailed(): void {
    this.#awaitsSession = false
  }

  sessionRenewed(): void {
    this.#awaitsSession = false
    this.#recovered(true)
  }

  #recovered(isNewSession: boolean): void {
    this.#isDegraded = false
    this.#listener?.({ type: 'recovered', isNewSession })
  }
}
