// Sends what has no JSON-RPC response: notifications, and responses to requests of the server. The server only accepts them.
import type { PostResponse } from '../../http/poster.ts'
import { readRetryAfter } from '../../http/retry-after.ts'
import { limitTotalTime, pause } from '../../primitives/async/abort.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { errorFromResponse } from './http-errors.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { isTransient, nextRequestDelay } from './retry.ts'

const ONE_WAY_TIMEOUT_MS = 30_000
/** How much of the body is read, to free the connection. */
const MAX_IGNORED_BYTES = 64 * 1024

/** The `Retry-After` of rejections, in milliseconds. */
const retryAfter = new WeakMap<Error, number>()

/** For the delay before the next attempt. */
export function noteRetryAfter(error: Error, response: PostResponse): void {
  const ms = readRetryAfter(response.header('retry-after'))
  if (ms !== undefined) retryAfter.set(error, ms)
}

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
    if (response.status < 200 || response.status > 299) {
      const error = await errorFromResponse(response, `The server rejected ${what}`)
      noteRetryAfter(error, response)
      throw error
    }
    link.health.responded()
    // To the end, so that the connection can be used again; a body is not an error.
    await response.text(MAX_IGNORED_BYTES).catch(() => response.cancel())
  } finally {
    limited.clear()
  }
}

/**
 * Posts again while the server is away or busy, as long as a request that only reads would be retried. For responses: the server
 * waits for them, and counts the first one only.
 */
export async function postUntilAccepted(
  { policy, health }: Pick<HttpLink, 'policy'> & Partial<Pick<HttpLink, 'health'>>,
  signal: AbortSignal,
  post: () => Promise<void>,
): Promise<void> {
  const startedAt = monotonicNow()
  for (let retries = 0; ; retries += 1) {
    try {
      return await post()
    } catch (error) {
      if (!(error instanceof Error) || !isTransient(error)) throw error
      health?.failed(error)
      const attempts = { isRepeatable: true, retries, startedAt }
      const delayMs = nextRequestDelay(attempts, policy, retryAfter.get(error))
      if (delayMs === undefined) throw error
      await pause(delayMs, { signal })
    }
  }
}

function notAccepted(what: string): TransportError {
  return new TransportError(`The server did not accept ${what} within ${ONE_WAY_TIMEOUT_MS} ms`)
}
