// Where tokens and registrations are kept between requests and between runs.

/**
 * A small store of JSON objects. Keys hold the issuer and the resource that a value belongs to and are up to a few hundred
 * characters long; values hold secrets. One store serves one user: give each user their own.
 */
export interface TokenStore {
  /** What was stored last, or `undefined`; or a promise of either. Whatever comes back is checked before it is used. */
  get(key: string): unknown
  set(key: string, value: Readonly<Record<string, unknown>>): Promise<void> | void
  delete(key: string): Promise<void> | void
  /**
   * Runs `work` while nobody else who uses the same data, in whatever process, runs work for this key. With it, several
   * processes can share one rotating refresh token. The work takes seconds at most.
   */
  lock?<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** Keeps tokens for as long as the process lives. */
export function memoryTokenStore(): TokenStore {
  const values = new Map<string, Readonly<Record<string, unknown>>>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      values.set(key, value)
    },
    delete: (key) => {
      values.delete(key)
    },
  }
}
