// Sends what has no JSON-RPC response: notifications, and responses to requests of the server. The server only accepts them.
import { limitTotalTime } from '../../primitives/async/abort.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { errorFromResponse } from './http-errors.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'

const ONE_WAY_TIMEOUT_MS = 30_000
/** How much of the body is read, to free the connection. */
const MAX_IGNORED_BYTES = 64 * 1024

export interface OneWayMessage {
  readonly body: string
  readonly headers: RequestHeaders
  /** Names the message in errors. */
  readonly what: string
  readonly signal: AbortSignal
}

/** Resolves when the server has accepted the message; rejects with the reason why not, after a bounded time. */
export async function postOneWay(link: HttpLink, { body, headers, what, signal }: OneWayMessage): Promise<void> {
  const limited = limitTotalTime(ONE_WAY_TIMEOUT_MS, signal, () => notAccepted(what))
  try {
    const response = await link.poster({
      method: 'POST',
      url: link.url,
      headers,
      body,
      ...(limited.signal && { signal: limited.signal }),
    })
    if (response.status < 200 || response.status > 299)
      throw await errorFromResponse(response, `The server rejected ${what}`)
    link.health.responded()
    // To the end, so that the connection can be used again; a body is not an error.
    await response.text(MAX_IGNORED_BYTES).catch(() => response.cancel())
  } finally {
    limited.clear()
  }
}

function notAccepted(what: string): TransportError {
  return new TransportError(`The server did not accept ${what} within ${ONE_WAY_TIMEOUT_MS} ms`)
}
