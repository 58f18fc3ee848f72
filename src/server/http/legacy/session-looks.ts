// Looks at the records of sessions that are in use without new requests: nobody says that a record has expired or was lost.
import { BackendError } from '../../../backend/backend-error.ts'
import type { SessionLimits } from './legacy-options.ts'
import type { Session } from './session.ts'

/** These looks are rarer than those before requests, by this factor. */
const SELDOM = 10
const MIN_LOOK_MS = 1_000

/** The records are also touched by it, so that they do not expire. */
const MAX_LOOK_MS = 5 * 60_000

export class SessionLooks {
  /** A session in use is looked at when its last look is so long ago. */
  readonly everyMs: number
  readonly #sessions: ReadonlyMap<string, Session>
  /** Ends the session on this node where its record is gone. */
  readonly #verify: (session: Session) => Promise<unknown>
  #isLooking = false
  #isClosed = false

  constructor(
    { checkMs, idleMs }: SessionLimits,
    sessions: ReadonlyMap<string, Session>,
    verify: (session: Session) => Promise<unknown>,
  ) {
    this.everyMs = Math.min(Math.max(checkMs * SELDOM, MIN_LOOK_MS), idleMs / 3, MAX_LOOK_MS)
    this.#sessions = sessions
    this.#verify = verify
  }

  /** At those that are due. Does nothing while the last call is at work. Never rejects. */
  async lookAtDue(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    await this.#look(this.everyMs)
    this.#isLooking = false
  }

  /** A message may have been lost that ended a session. Never rejects. */
  lookAtAll(): Promise<void> {
    return this.#look(0)
  }

  close(): void {
    this.#isClosed = true
  }

  /** One after the other, so that it is no burst. */
  async #look(minAgeMs: number): Promise<void> {
    for (const session of [...this.#sessions.values()]) {
      if (this.#isClosed) return
      if (!session.isInUse || (session.kept?.age ?? 0) < minAgeMs) continue
      try {
        await this.#verify(session)
      } catch (error) {
        // The others would wait for the same engine.
        if (isAway(error)) return
      }
    }
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof BackendError && (error.kind === 'unavailable' || error.kind === 'timeout')
}
