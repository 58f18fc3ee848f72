// Which proofs have been used: each is good once, and forgotten when it is too old to be used again.
import { LimitError } from '../../types/failures.ts'

/** About 30 MB at worst; a server with more callers than that in ten minutes has more than one process, and shares. */
const MAX_PROOFS = 100_000

/** A memory within this process. Rejects when it is full, because an old proof must not get in through a gap. */
export function rememberProofs(maxProofs = MAX_PROOFS): (id: string, expiresAt: number) => Promise<boolean> {
  const expiries = new Map<string, number>()
  let sweptAt = 0
  return async (id, expiresAt) => {
    if (expiries.has(id)) return false
    const now = Date.now() / 1000
    // Looking through all of them is work, which callers must not be able to cause at every request.
    if (expiries.size >= maxProofs && now - sweptAt >= 1) {
      sweptAt = now
      forgetExpired(expiries, now)
    }
    if (expiries.size >= maxProofs) throw new LimitError('remembered DPoP proofs', maxProofs)
    expiries.set(id, expiresAt)
    return true
  }
}

function forgetExpired(expiries: Map<string, number>, now: number): void {
  for (const [id, expiresAt] of expiries) if (expiresAt < now) expiries.delete(id)
}
