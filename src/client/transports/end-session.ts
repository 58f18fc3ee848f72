// Tells the server that a session is over, so that it need not keep it until it expires.
import type { HttpLink, RequestHeaders } from './http-link.ts'

/** A server that does not answer is not waited for: the end of our side must not depend on it. */
const DELETE_TIMEOUT_MS = 2_000

/** Best effort: a server may refuse, and nobody could do anything about it. Never rejects. */
export async function endSession(link: HttpLink, headers: RequestHeaders): Promise<void> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), DELETE_TIMEOUT_MS)
  try {
    const response = await link.poster({ method: 'DELETE', url: link.url, headers, signal: timeout.signal })
    response.cancel()
  } catch {
    // Gone already, or not to be reached.
  } finally {
    clearTimeout(timer)
  }
}
