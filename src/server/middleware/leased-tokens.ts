// Tokens of a shared bucket that this process has taken in advance, so that not every call of a busy key makes a trip. What is taken
// is taken for all nodes: never more calls pass than the limit allows, and a little less where a share is left unused.
import type { Limits, TakeOptions } from '../../backend/limits.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'

/** At most so many at once, and never more than this part of the bucket: small limits are counted one by one. */
const MAX_SHARE = 64
const PARTS = 64
/** A share is at most half of the calls that came in the last such time, and what is left of it after this time is given up. */
const WINDOW_MS = 250
/** After a bucket had no whole share the tokens are taken one by one for so long. */
const SINGLY_MS = 1_000
const MAX_KEYS = 10_000

interface Lease {
  left: number
  leftUntil: number
  windowEndsAt: number
  calls: number
  /** In the window before. */
  callsBefore: number
  singlyUntil: number
  /** A share is on its way. */
  taking: Promise<number> | undefined
}

export class LeasedTokens {
  readonly #options: TakeOptions
  readonly #maxShare: number
  readonly #leases = new Map<string, Lease>()

  constructor(options: TakeOptions) {
    this.#options = options
    this.#maxShare = Math.min(MAX_SHARE, Math.floor(options.burst / PARTS))
  }

  /** Whether a token was at hand. To be called once for each call, before `take`. */
  takeHere(key: string): boolean {
    if (this.#maxShare < 2) return false
    const now = monotonicNow()
    const lease = this.#leaseOf(key)
    if (now >= lease.windowEndsAt) {
      lease.callsBefore = now < lease.windowEndsAt + WINDOW_MS ? lease.calls : 0
      lease.calls = 0
      lease.windowEndsAt = now + WINDOW_MS
    }
    lease.calls += 1
    return takeLeft(lease, now)
  }

  /** Milliseconds to wait, 0 where a token was taken. Rejects with what the limits reject with. */
  async take(limits: Limits, key: string, nameOf: () => Promise<string>): Promise<number> {
    const takeOne = async () => limits.take(await nameOf(), this.#options)
    if (this.#maxShare < 2) return takeOne()
    const lease = this.#leaseOf(key)
    for (;;) {
      const now = monotonicNow()
      if (takeLeft(lease, now)) return 0
      const share = Math.min(this.#maxShare, Math.floor(lease.callsBefore / 2))
      if (lease.taking === undefined && (share < 2 || now < lease.singlyUntil)) return takeOne()
      lease.taking ??= this.#takeShare(limits, lease, share, nameOf)
      if ((await lease.taking) > 0) return takeOne()
    }
  }

  async #takeShare(limits: Limits, lease: Lease, tokens: number, nameOf: () => Promise<string>): Promise<number> {
    try {
      const waitMs = await limits.take(await nameOf(), { ...this.#options, tokens })
      const now = monotonicNow()
      if (waitMs > 0) lease.singlyUntil = now + SINGLY_MS
      else {
        lease.left = tokens
        lease.leftUntil = now + WINDOW_MS
      }
      return waitMs
    } finally {
      lease.taking = undefined
    }
  }

  #leaseOf(key: string): Lease {
    const known = this.#leases.get(key)
    if (known !== undefined) return known
    if (this.#leases.size >= MAX_KEYS) this.#leases.delete(this.#leases.keys().next().value as string)
    const lease = {
      left: 0,
      leftUntil: 0,
      windowEndsAt: 0,
      calls: 0,
      callsBefore: 0,
      singlyUntil: 0,
      taking: undefined,
    }
    this.#leases.set(key, lease)
    return lease
  }
}

function takeLeft(lease: Lease, now: number): boolean {
  if (lease.left === 0 || now > lease.leftUntil) return false
  lease.left -= 1
  return true
}
