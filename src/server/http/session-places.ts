// How many sessions there may be at once, in all and of one verified caller: past that, another one is refused.
import type { KnownKeys } from '../../primitives/known-keys.ts'
import { positive } from './check-limit.ts'
import { type Principal, principalKey } from './principal.ts'

export interface SessionLimits {
  /** Sessions at once: 10,000 unless given. One more is refused with 503. */
  max?: number
  /** Sessions at once of one verified caller: 1,000 unless given. */
  maxPerPrincipal?: number
}

export const SESSION_LIMITS_KEYS: KnownKeys<SessionLimits> = {
  max: true,
  maxPerPrincipal: true,
}

export class SessionPlaces {
  readonly #max: number
  readonly #maxPerPrincipal: number
  readonly #counts = new Map<string, number>()
  #taken = 0

  constructor({ max = 10_000, maxPerPrincipal = 1_000 }: SessionLimits = {}) {
    this.#max = positive('sessions.max', max)
    this.#maxPerPrincipal = positive('sessions.maxPerPrincipal', maxPerPrincipal)
  }

  /** Takes a place, to `giveBack` for the same principal; `false` where there is none. */
  take(principal: Principal): boolean {
    if (this.#taken >= this.#max) return false
    if ((this.#counts.get(principalKey(principal)) ?? 0) >= this.#maxPerPrincipal) return false
    this.#count(principal, 1)
    return true
  }

  giveBack(principal: Principal): void {
    this.#count(principal, -1)
  }

  #count(principal: Principal, change: 1 | -1): void {
    this.#taken += change
    // Whom nobody verified cannot be told apart, so that a limit for one would be one for all.
    if (principal === undefined) return
    const key = principalKey(principal)
    const count = (this.#counts.get(key) ?? 0) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}
