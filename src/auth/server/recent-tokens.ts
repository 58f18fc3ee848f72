// Tokens that were verified a moment ago: checking a signature costs more than all the rest of a small request.

const MAX_TOKENS = 1_000
/** Longer tokens are verified each time, so that a thousand of them stay small. */
const MAX_LENGTH = 4_096

/** Keeps what was found out about a token for at most `maxAgeMs`, and never past the token's own end. */
export class RecentTokens<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()
  readonly #maxAgeMs: number

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs
  }

  get(token: string): Value | undefined {
    const entry = this.#entries.get(token)
    if (entry === undefined) return undefined
    if (Date.now() < entry.until) return entry.value
    this.#entries.delete(token)
    return undefined
  }

  add(token: string, value: Value, expiresAtMs: number): void {
    if (token.length > MAX_LENGTH) return
    if (this.#entries.size >= MAX_TOKENS) this.#forgetOldest()
    this.#entries.set(token, { value, until: Math.min(expiresAtMs, Date.now() + this.#maxAgeMs) })
  }

  #forgetOldest(): void {
    const { value: oldest } = this.#entries.keys().next()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}
