// All sessions of an endpoint: found by id, limited in number, and ended when nobody uses them any more.
import { MAX_TIMER_MS, type Timer, unref } from '../../primitives/timer.ts'
import { type Principal, principalKey } from './principal.ts'
import type { Session } from './session.ts'

export interface SessionOptions {
  /** Sessions at once: 10,000 unless given. One more is refused with 503. */
  max?: number
  /** Sessions at once of one verified caller: 1,000 unless given. */
  maxPerPrincipal?: number
  /** How long an unused session is kept: 30 minutes unless given. */
  idleMs?: number
}

const IDLE_MS = 30 * 60_000
const MAX_SWEEP_MS = 60_000

export class SessionManager {
  readonly #max: number
  readonly #maxPerPrincipal: number
  readonly #idleMs: number
  readonly #sessions = new Map<string, Session>()
  /** Sessions of each verified caller, those included whose `initialize` is not answered yet. */
  readonly #counts = new Map<string, number>()
  /** Those whose `initialize` is not answered yet. */
  #opening = 0
  #timer: Timer | undefined

  constructor(options: SessionOptions = {}) {
    this.#max = options.max ?? 10_000
    this.#maxPerPrincipal = options.maxPerPrincipal ?? 1_000
    this.#idleMs = options.idleMs ?? IDLE_MS
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Somebody else's session is as unknown as one that does not exist. */
  find(id: string, principal: Principal): Session | undefined {
    const session = this.#sessions.get(id)
    return session?.isOwnedBy(principal) ? session : undefined
  }

  /** Takes a place for a session that is about to open. False where there is none, even after looking for idle ones. */
  reserve(principal: Principal): boolean {
    if (this.#isFullFor(principal)) this.#sweep()
    if (this.#isFullFor(principal)) return false
    this.#opening += 1
    this.#count(principal, 1)
    return true
  }

  /** Gives the place back, to a session where one has opened. */
  settle(principal: Principal, session?: Session): void {
    this.#opening -= 1
    if (session === undefined) {
      this.#count(principal, -1)
      return
    }
    this.#sessions.set(session.id, session)
    this.#schedule()
  }

  /** Nobody finds the session from here on; then it is closed. */
  async end(session: Session): Promise<void> {
    if (this.#sessions.delete(session.id)) this.#count(session.principal, -1)
    await session.close()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)))
  }

  #isFullFor(principal: Principal): boolean {
    if (this.#sessions.size + this.#opening >= this.#max) return true
    return (this.#counts.get(principalKey(principal)) ?? 0) >= this.#maxPerPrincipal
  }

  #count(principal: Principal, change: number): void {
    const key = principalKey(principal)
    // Whom nobody verified cannot be told apart, so that a limit for one would be one for all.
    if (key === '') return
    const count = (this.#counts.get(key) ?? 0) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#sessions.size === 0 || this.#idleMs > MAX_TIMER_MS) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#sweep()
        this.#schedule()
      },
      Math.min(Math.max(this.#idleMs / 2, 1), MAX_SWEEP_MS),
    )
    unref(this.#timer)
  }

  #sweep(): void {
    for (const session of this.#sessions.values()) {
      if (session.isIdle(this.#idleMs)) void this.end(session)
    }
  }
}
