// One operation on its way, with all that it sends.
import type { Link } from './link.ts'
import type { NatsHeaders, NatsMessage } from './nats-client.ts'

/** One operation with its deadline, however many requests it makes. */
export class Trip {
  readonly operation: string
  /** Later where the event loop was blocked: a reply that comes behind that has not taken so long. */
  endsAt: number
  /** Something was sent whose outcome is not known. */
  isUncertain = false
  /** The streams were made again, once at most. */
  hasRepaired = false
  readonly #link: Link

  constructor(link: Link, operation: string, endsAt: number) {
    this.#link = link
    this.operation = operation
    this.endsAt = endsAt
  }

  get leftMs(): number {
    return this.endsAt - performance.now()
  }

  request(subject: string, payload: string, headers?: NatsHeaders): Promise<NatsMessage> {
    return this.#link.send(this, subject, payload, headers)
  }

  /** Waits for its turn before another try. */
  async pause(ms: number): Promise<void> {
    if (ms > 0) await new Promise((resolve) => void setTimeout(resolve, ms))
  }
}
