// Sends what has no answer: notifications, and answers of ours. The server only says that it has taken them.

import { limitTotalTime } from '../../primitives/async/abort.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { explainRefusal } from './http-errors.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'

const NOTICE_TIMEOUT_MS = 30_000
/** What a server may say to a notification, which nobody reads. */
const MAX_REPLY_BYTES = 64 * 1024

export interface Notice {
  readonly body: string
  readonly headers: RequestHeaders
  /** Names it in errors. */
  readonly what: string
  readonly signal: AbortSignal
}

/** Resolves when the server has taken it; rejects with the reason why not, after a bounded time. */
export async function postNotice(link: HttpLink, { body, headers, what, signal }: Notice): Promise<void> {
  const limited = limitTotalTime(NOTICE_TIMEOUT_MS, signal, () => notTaken(what))
  try {
    const response = await link.poster({
      method: 'POST',
      url: link.url,
      headers,
      body,
      ...(limited.signal && { signal: limited.signal }),
    })
    if (response.status < 200 || response.status > 299) throw await explainRefusal(response, `${what} was refused`)
    link.health.heard()
    // To the end, so that the connection can be used again; a body is not an error.
    await response.text(MAX_REPLY_BYTES).catch(() => response.cancel())
  } finally {
    limited.clear()
  }
}

function notTaken(what: string): TransportError {
  return new TransportError(`${what} was not taken by the server within ${NOTICE_TIMEOUT_MS} ms`)
}
