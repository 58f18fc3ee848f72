// One operation on its way, with all that it sends.
import { LATE_MS } from '../../backend/engine/deadline.ts'
import type { Link } from './link.ts'
import type { NatsHeaders, NatsMessage } from './nats-client.ts'

/** One operation with its deadline, however many requests it makes. */
export class Trip {
  readonly operation: string
  #endsAt: number
  /** Something was sent whose outcome is not known. */
  isUncertain = false
  /** The streams were made again, once at most. */
  hasRepaired = false
  readonly #link: Link
  #hasWaited = false

  constructor(link: Link, operation: string, endsAt: number) {
    this.#link = link
    this.operation = operation
    this.#endsAt = endsAt
  }

  get leftMs(): number {
    return this.#endsAt - performance.now()
  }

  get endsAt(): number {
    return this.#endsAt
  }

  /** Once, where the event loop was blocked when the deadline passed: the trip lasts longer by as much, at most by another `ms`. */
  goesOn(lateMs: number, ms: number): boolean {
    if (lateMs < LATE_MS || this.#hasWaited) return false
    this.#hasWaited = true
    this.#endsAt = performance.now() + Math.min(ms, lateMs)
    return true
  }

  request(subject: string, payload: string, headers?: NatsHeaders): Promise<NatsMessage> {
    return this.#link.send(this, subject, payload, headers)
  }

  /** Waits for its turn before another try. */
  async pause(ms: number): Promise<void> {
    if (ms > 0) await new Promise((resolve) => void setTimeout(resolve, ms))
  }
}
