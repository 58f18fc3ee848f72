// Bounds what waits on a connection: how much memory a waiting message takes, and a channel that is asked to deliver no more.
import { createDeferred, type Deferred } from '../primitives/async/promises.ts'
import type { Timer } from '../primitives/async/timer.ts'

/** What belongs to a message whatever is in it: its context, its places in tables. */
const MESSAGE_BYTES = 1_024
/** A member of an object or array, or a value that is neither text nor a collection. */
const VALUE_BYTES = 16

/** What a waiting message takes of memory, near enough for a bound and without writing it as text. Stops to count once the sum is beyond `enough`. */
export function estimateBytes(params: unknown, enough: number): number {
  let bytes = MESSAGE_BYTES
  const left: unknown[] = [params]
  while (left.length > 0 && bytes <= enough) {
    const value = left.pop()
    bytes += VALUE_BYTES
    if (typeof value === 'string') bytes += value.length
    else if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        bytes += key.length
        left.push(member)
      }
    }
  }
  return bytes
}

/** How long to wait for room before we read on and refuse what does not fit. */
const PATIENCE_MS = 500

/** Asks a channel to deliver no more for a while. Not for long: what ends the wait may come behind what has to wait. */
export class DeliveryPause {
  readonly #hasRoom: () => boolean
  #waiting: Deferred<void> | undefined
  #timer: Timer | undefined
  /** The last pause was in vain, and there has been no room since. */
  #isInVain = false

  constructor(hasRoom: () => boolean) {
    this.#hasRoom = hasRoom
  }

  /** For how long to deliver nothing; not at all while that has just been in vain. */
  begin(): Promise<void> | undefined {
    if (this.#isInVain) return undefined
    if (this.#waiting === undefined) {
      this.#waiting = createDeferred()
      // It keeps the process: while the channel pauses, nothing else may.
      this.#timer = setTimeout(() => this.#giveUp(), PATIENCE_MS)
    }
    return this.#waiting.promise
  }

  endIfPossible(): void {
    if ((this.#waiting === undefined && !this.#isInVain) || !this.#hasRoom()) return
    this.#isInVain = false
    this.end()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#waiting?.resolve()
    this.#waiting = undefined
  }

  #giveUp(): void {
    this.#isInVain = true
    this.end()
  }
}
