// Records of nodes that are not there. After an outage that says little: a node that is alive needs a moment to renew its own. An
// engine that comes and goes would be in that moment for ever, so that looks which find nothing are counted.
import { monotonicNow } from '../../primitives/async/timer.ts'

/** A node that is alive tries every second: so often and for so long nobody misses each moment in which the engine answers. */
const MIN_LOOKS = 8
const MIN_MS = 10_000
const BETWEEN_LOOKS_MS = 900
/** Looks that are further apart belong to different outages. */
const FORGET_MS = 30_000
const MAX_KNOWN = 1_000

interface Missing {
  readonly since: number
  readonly at: number
  readonly looks: number
}

export class MissingRecords {
  readonly #missing = new Map<string, Missing>()

  onFound(key: string): void {
    this.#missing.delete(key)
  }

  /** Whether the record of this key, which was not found just now, has been missing for long enough to be gone. */
  isGone(key: string): boolean {
    const now = monotonicNow()
    const known = this.#missing.get(key)
    const before = known === undefined || now - known.at > FORGET_MS ? undefined : known
    if (before !== undefined && now - before.at < BETWEEN_LOOKS_MS) return isLongGone(before)
    const missing = { since: before?.since ?? now, at: now, looks: (before?.looks ?? 0) + 1 }
    this.#missing.delete(key)
    if (this.#missing.size >= MAX_KNOWN) this.#missing.delete(this.#missing.keys().next().value as string)
    this.#missing.set(key, missing)
    return isLongGone(missing)
  }
}

function isLongGone({ since, at, looks }: Missing): boolean {
  return looks >= MIN_LOOKS && at - since >= MIN_MS
}
