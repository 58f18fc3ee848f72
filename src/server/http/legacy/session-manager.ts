// All sessions of an endpoint: found by id, limited in number, and ended when they are idle.

import { type Principal, principalKey } from '../../../http/principal.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { MAX_TIMER_MS, monotonicNow, type Timer, unref } from '../../../primitives/async/timer.ts'
import { checkLimit } from '../../../primitives/options.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { SessionLimits, SessionOptions } from './legacy-options.ts'
import type { Session } from './session.ts'

/** The sessions of an endpoint, wherever they are kept. What returns a promise may reject with `BackendError`. */
export const TOO_MANY = 'The server has too many sessions. Try again later.'

/** What a caller hears who has as many sessions as it may have. */
export const TOO_MANY_OWN =
  'You have as many sessions open as one caller may have. End one with DELETE, or wait until one has expired.'

export interface SessionDirectory {
  /** The sessions that have an object in this process. */
  readonly size: number
  /** The session of another caller is not found either. */
  find(id: string, principal: Principal): MaybePromise<Session | undefined>
  /** Takes a slot for a session that is about to open. `false` where none is free. */
  reserve(principal: Principal): boolean
  /** Why `reserve` returned `false`: the principal has too many sessions. */
  isFullFor?(principal: Principal): boolean
  /** A session for this slot; `undefined` where its principal has too many. */
  create(principal: Principal): MaybePromise<Session | undefined>
  /** Gives the slot to the session, which has opened. */
  settle(session: Session): void
  /** Frees the slot: the session has not opened, or its client is gone. */
  abandon(principal: Principal, session?: Session): void
  /**
   * Takes the answer to a question although its session cannot be looked up at present. True where it has arrived; another node that
   * waits for it gets it once that can be reached.
   */
  takeAnswer?(id: string, principal: Principal, message: JSONObject): Promise<boolean>
  /**
   * Ends the streams that clients opened with GET, so that they open them at other nodes: not all of them in the same moment, but
   * within this time, or at once when `hurry` settles.
   */
  endStreams?(withinMs: number, hurry: Promise<unknown>): Promise<void>
  /** Ends a session for good. */
  end(session: Session): Promise<void>
  close(): Promise<void>
}

/** Counts sessions, in all and of one principal. */
export class SessionSlots {
  readonly #max: number
  readonly #maxPerPrincipal: number
  readonly #counts = new Map<string, number>()
  #taken = 0

  constructor({ max = 10_000, maxPerPrincipal = 1_000 }: SessionOptions = {}) {
    this.#max = checkLimit('sessions.max', max)
    this.#maxPerPrincipal = checkLimit('sessions.maxPerPrincipal', maxPerPrincipal)
  }

  /** Whether it is the principal who has too many. */
  isFullFor(principal: Principal): boolean {
    return (this.#counts.get(principalKey(principal)) ?? 0) >= this.#maxPerPrincipal
  }

  /** Takes a slot until `release` for the same principal; `false` where none is free. */
  take(principal: Principal): boolean {
    if (this.#taken >= this.#max) return false
    if (this.isFullFor(principal)) return false
    this.#count(principal, 1)
    return true
  }

  release(principal: Principal): void {
    this.#count(principal, -1)
  }

  #count(principal: Principal, change: 1 | -1): void {
    this.#taken += change
    // Callers without a verified token cannot be distinguished: a limit for one would be a limit for all.
    if (principal === undefined) return
    const key = principalKey(principal)
    const count = (this.#counts.get(key) ?? 0) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}

const MAX_SWEEP_MS = 60_000
const MIN_SWEEP_MS = 250

/** The sessions of one process. */
export class SessionManager implements SessionDirectory {
  /** Includes sessions whose `initialize` is not answered yet. */
  readonly #slots: SessionSlots
  readonly #idleMs: number
  readonly #sessions = new Map<string, Session>()
  readonly #make: (principal: Principal) => Session
  #timer: Timer | undefined
  #sweptAt = -Infinity

  constructor(limits: SessionLimits, make: (principal: Principal) => Session) {
    this.#slots = new SessionSlots(limits)
    this.#idleMs = limits.idleMs
    this.#make = make
  }

  get size(): number {
    return this.#sessions.size
  }

  find(id: string, principal: Principal): Session | undefined {
    const session = this.#sessions.get(id)
    return session?.isOwnedBy(principal) ? session : undefined
  }

  /** Ends idle sessions where no slot is free. */
  isFullFor(principal: Principal): boolean {
    return this.#slots.isFullFor(principal)
  }

  reserve(principal: Principal): boolean {
    if (this.#slots.take(principal)) return true
    // A sweep over all sessions is expensive; a flood must not cause one with every request.
    if (monotonicNow() - this.#sweptAt < MIN_SWEEP_MS) return false
    this.#sweep()
    return this.#slots.take(principal)
  }

  create(principal: Principal): Session {
    return this.#make(principal)
  }

  settle(session: Session): void {
    this.#sessions.set(session.id, session)
    this.#schedule()
  }

  abandon(principal: Principal): void {
    this.#slots.release(principal)
  }

  /** Removes the session, then closes it. */
  async end(session: Session): Promise<void> {
    if (this.#sessions.delete(session.id)) this.#slots.release(session.principal)
    await session.close()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)))
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
    this.#sweptAt = monotonicNow()
    for (const session of this.#sessions.values()) {
      if (session.isIdle(this.#idleMs)) void this.end(session)
    }
  }
}
