// Resumes a stream of events after its connection broke off: where it was, and how often to connect again.
import type { ReadEvent } from '../../http/sse-reader.ts'
import { pause } from '../../primitives/async/abort.ts'
import { brand } from '../../types/errors/errors.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { isPlainHeaderText } from '../../wire/headers/headers.ts'
import type { Backoff, RetryPolicy } from './retry.ts'

const MIN_RETRY_MS = 100
const MAX_RETRY_MS = 60_000
const MAX_ID_LENGTH = 1_024
/** Ids kept to recognise events that a server replays. */
export const MAX_SEEN_IDS = 4_096

/** The position in one stream of events, over all its connections. */
export class EventCursor {
  /** The id to resume after. Stays the same over a connection that brought nothing new. */
  lastEventId: string | undefined
  /** The delay that the server asked for in a `retry` field, within limits. */
  retryMs: number | undefined
  /** The delay that the server asked for when it last rejected a connection. */
  retryAfterMs: number | undefined
  readonly #seenBefore = new Set<string>()
  #seenNow: string[] = []

  constructor(lastEventId?: string) {
    this.lastEventId = lastEventId
  }

  /** Whether the event is new: a server may replay events of an earlier connection. */
  accept({ id }: ReadEvent): boolean {
    if (id === undefined) return true
    if (this.#seenBefore.has(id)) return false
    if (!this.moveTo(id)) return true
    if (this.#seenNow.length < MAX_SEEN_IDS) this.#seenNow.push(id)
    else this.#seenNow = [id]
    return true
  }

  /** The server names the id to resume after, with or without an event; an empty id clears it. Returns whether there is one. */
  moveTo(id: string): boolean {
    // An id that no header can carry cannot be sent back.
    if (id.length > MAX_ID_LENGTH || !isPlainHeaderText(id)) return false
    this.lastEventId = id === '' ? undefined : id
    return id !== ''
  }

  setRetry(ms: number): void {
    this.retryMs = Math.min(Math.max(ms, MIN_RETRY_MS), MAX_RETRY_MS)
  }

  /** The connection has ended; the next one may replay its events. */
  disconnected(): void {
    for (const id of this.#seenNow) this.#seenBefore.add(id)
    this.#seenNow = []
    for (const oldest of this.#seenBefore) {
      if (this.#seenBefore.size <= MAX_SEEN_IDS) break
      this.#seenBefore.delete(oldest)
    }
  }
}

/** The server rejected the connection because it has not yet noticed that the previous one is gone. */
export class StreamConflict extends TransportError {
  static {
    brand(this, 'StreamConflict')
  }
}

export interface ResumedStream {
  readonly cursor: EventCursor
  readonly signal: AbortSignal
  readonly policy: RetryPolicy
  readonly backoff: Backoff
  /** No call waits for the stream, so the process may exit during a delay. */
  readonly isBackground: boolean
  /** Whether the stream has brought what it was resumed for. */
  isDone(): boolean
  /** One connection, from the request to its last event. Resolves to a transient failure to open; rejects with a permanent one. */
  connect(): Promise<Error | undefined>
}

/** Connects again and again, with a delay before each time. Resolves when the stream is done; rejects when the client gives up. */
export async function resumeStream(stream: ResumedStream): Promise<void> {
  const { cursor, policy, signal, isBackground, backoff } = stream
  let failures = 0
  while (!stream.isDone()) {
    cursor.disconnected()
    await pause(delayBeforeConnect(stream), { signal, isBackground })
    const before = cursor.lastEventId
    cursor.retryAfterMs = undefined
    const failure = await stream.connect()
    backoff.ended()
    // A server may close the connection after each part of a response: that is no failure.
    if (!isBackground && cursor.lastEventId !== before) backoff.reset()
    // The server may keep the previous connection for any time, and no call waits.
    if (isBackground && failure instanceof StreamConflict) continue
    failures = failure === undefined ? 0 : failures + 1
    if (failure !== undefined && failures >= policy.maxAttempts) throw failure
  }
}

/** Never shorter than the server asked for; exactly that where nothing has failed and a call waits. */
function delayBeforeConnect({ cursor, backoff, isBackground }: ResumedStream): number {
  const { retryMs = 0, retryAfterMs = 0 } = cursor
  const isFirst = backoff.retries === 0
  const backoffMs = backoff.nextDelayMs()
  return isFirst && !isBackground && cursor.retryMs !== undefined ? retryMs : Math.max(backoffMs, retryMs, retryAfterMs)
}
