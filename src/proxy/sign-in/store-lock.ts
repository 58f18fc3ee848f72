// A token store with a lock in this process, where it has none of its own: several connections of a caller share one refresh token.
import type { TokenStore } from '../../auth/client/tokens/token-store.ts'

export function withLock(store: TokenStore): TokenStore {
  if (store.lock !== undefined) return store
  const turns = new Map<string, Promise<unknown>>()
  return {
    get: (key) => store.get(key),
    set: (key, value) => store.set(key, value),
    delete: (key) => store.delete(key),
    lock: <T>(key: string, work: () => Promise<T>): Promise<T> => {
      const turn = (turns.get(key) ?? Promise.resolve()).then(work, work)
      const ended = turn.catch(() => {})
      turns.set(key, ended)
      void ended.then(() => {
        if (turns.get(key) === ended) turns.delete(key)
      })
      return turn
    },
  }
}
