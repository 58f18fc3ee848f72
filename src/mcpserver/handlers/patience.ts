// How long the caller of one request is still willing to wait. The client says so in `_meta`, as a duration, because the clocks
// of two machines differ.
import { type Clock, systemClock } from '../../primitives/async/clock.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { PATIENCE_META_KEY } from '../../types/protocol/meta.ts'

const MAX_PATIENCE_MS = 86_400_000

/** What is left of a caller's patience. It stands still while the client answers a question, as the client's own limit does. */
export class Patience {
  readonly #clock: Clock
  #leftMs: number
  #since: number
  #pauses = 0

  constructor(ms: number, clock: Clock = systemClock) {
    this.#clock = clock
    this.#leftMs = ms
    this.#since = clock.monotonic()
  }

  get leftMs(): number {
    if (this.#pauses > 0) return this.#leftMs
    return Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#since))
  }

  async pausedWhile<T>(wait: Promise<T>): Promise<T> {
    this.#leftMs = this.leftMs
    this.#pauses += 1
    try {
      return await wait
    } finally {
      this.#pauses -= 1
      this.#since = this.#clock.monotonic()
    }
  }
}

/** `undefined` where the client did not say how long it waits, or says what can't be: anything may be in a `_meta`. */
export function patienceOf(request: ServerRequestContext, clock: Clock): Patience | undefined {
  const ms = patienceMsOf(request)
  return ms === undefined ? undefined : new Patience(ms, clock)
}

/** The patience with which the request came. */
export function patienceMsOf({ params }: ServerRequestContext): number | undefined {
  const ms = (params?.['_meta'] as Record<string, unknown> | undefined)?.[PATIENCE_META_KEY]
  return isPatience(ms) ? ms : undefined
}

function isPatience(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_PATIENCE_MS
}
