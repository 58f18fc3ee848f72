// Who may use the API: pages that were opened by a link. A link works once, so that one that leaks later opens nothing.
import { createHash, randomBytes } from 'node:crypto'

/** What a page gets for its link. */
export interface SessionSecrets {
  /** Sent with every request. */
  readonly session: string
  /** Sent only with a confirmation of the user, so that whoever has seen a request still can't start a program. */
  readonly confirm: string
}

/** More pages than anybody has open. The oldest ends. */
const MAX_SESSIONS = 16

export class Sessions {
  /** Digests: the time that a search for one takes says nothing about the secret. */
  readonly #confirmOf = new Map<string, string>()
  readonly #onOpened: () => void
  #link: string | undefined

  /** `onOpened` is called whenever a page has used the link. */
  constructor(onOpened: () => void) {
    this.#onOpened = onOpened
  }

  /** The key of the one link that works now. */
  get link(): string {
    this.#link ??= createSecret()
    return this.#link
  }

  /** `undefined` for a link that was used, or is none of ours. */
  open(link: string): SessionSecrets | undefined {
    if (this.#link === undefined || digest(link) !== digest(this.#link)) return undefined
    this.#link = undefined
    const secrets = { session: createSecret(), confirm: createSecret() }
    this.#confirmOf.set(digest(secrets.session), digest(secrets.confirm))
    for (const oldest of this.#confirmOf.keys()) {
      if (this.#confirmOf.size <= MAX_SESSIONS) break
      this.#confirmOf.delete(oldest)
    }
    this.#onOpened()
    return secrets
  }

  /** What stands for the session of a request; `undefined` where there is none. */
  find(session: string): string | undefined {
    const id = digest(session)
    return this.#confirmOf.has(id) ? id : undefined
  }

  /** Whether the second secret is that of the session. */
  confirms(id: string, confirm: string): boolean {
    return this.#confirmOf.get(id) === digest(confirm)
  }
}

/** 128 random bits. */
export function createSecret(): string {
  return randomBytes(16).toString('base64url')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
