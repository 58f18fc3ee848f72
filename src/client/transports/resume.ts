// Where a stream of events was when it broke off, and how it is followed through as many connections as it takes.
import type { ReadEvent } from '../../http/sse-reader.ts'
import { pause } from '../../primitives/async/pause.ts'
import { brand } from '../../types/errors/brand.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { isPlainHeaderText } from '../../wire/headers/headers.ts'
import type { Backoff, ReconnectPolicy } from './retry.ts'

const MIN_RETRY_MS = 100
const MAX_RETRY_MS = 60_000
const MAX_ID_LENGTH = 1_024
/** Ids kept to recognise what a server replays. */
const MAX_SEEN = 4_096

export class EventCursor {
  /** What to resume after; it survives a connection that brought nothing new. */
  lastEventId: string | undefined
  /** How long the server wants us to wait, within reason. */
  retryMs: number | undefined
  /** How long the server that has just refused us wants us to stay away. */
  retryAfterMs: number | undefined
  readonly #seenBefore = new Set<string>()
  #seenNow: string[] = []

  constructor(lastEventId?: string) {
    this.lastEventId = lastEventId
  }

  /** Whether the event is new: a server may replay what an earlier connection brought. */
  accept({ id }: ReadEvent): boolean {
    if (id === undefined) return true
    if (this.#seenBefore.has(id)) return false
    if (!this.moveTo(id)) return true
    if (this.#seenNow.length < MAX_SEEN) this.#seenNow.push(id)
    else this.#seenNow = [id]
    return true
  }

  /** The server names the place to resume after, with an event or without; an empty one takes it back. */
  moveTo(id: string): boolean {
    // An id that no header can carry cannot be resumed after.
    if (id.length > MAX_ID_LENGTH || !isPlainHeaderText(id)) return false
    this.lastEventId = id === '' ? undefined : id
    return id !== ''
  }

  setRetry(ms: number): void {
    this.retryMs = Math.min(Math.max(ms, MIN_RETRY_MS), MAX_RETRY_MS)
  }

  /** The connection is over; its events may come again on the next one. */
  disconnected(): void {
    for (const id of this.#seenNow) this.#seenBefore.add(id)
    this.#seenNow = []
    for (const oldest of this.#seenBefore) {
      if (this.#seenBefore.size <= MAX_SEEN) break
      this.#seenBefore.delete(oldest)
    }
  }
}

/** The server refused, but only for now: an older connection of ours may still be half open. */
export class StreamConflict extends TransportError {
  static {
    brand(this, 'StreamConflict')
  }
}

export interface FollowedStream {
  readonly cursor: EventCursor
  readonly signal: AbortSignal
  readonly policy: ReconnectPolicy
  readonly backoff: Backoff
  /** Nobody waits for what the stream may bring, so that the process may end while we pause. */
  readonly isBackground: boolean
  /** Whether the stream has brought what it was followed for. */
  isDone(): boolean
  /**
   * One connection, from the request to the end of its events. Resolves to what kept it from opening, where another try may
   * fare better; rejects where none will.
   */
  connect(): Promise<Error | undefined>
}

/** Connects again and again, after a pause each time. Resolves when the stream is done; rejects when it is given up. */
export async function followStream(stream: FollowedStream): Promise<void> {
  const { cursor, policy, signal, isBackground, backoff } = stream
  let failures = 0
  while (!stream.isDone()) {
    cursor.disconnected()
    await pause(delayBefore(stream), { signal, isBackground })
    const before = cursor.lastEventId
    cursor.retryAfterMs = undefined
    const failure = await stream.connect()
    backoff.ended()
    // A server that lets its client come back for each part of an answer is not failing.
    if (!isBackground && cursor.lastEventId !== before) backoff.reset()
    // How long an older connection stays half open is for the network to know, and nobody waits.
    if (isBackground && failure instanceof StreamConflict) continue
    failures = failure === undefined ? 0 : failures + 1
    if (failure !== undefined && failures >= policy.maxAttempts) throw failure
  }
}

/** Never less than the server asks for; exactly that where nothing has failed and somebody waits for the rest. */
function delayBefore({ cursor, backoff, isBackground }: FollowedStream): number {
  const { retryMs = 0, retryAfterMs = 0 } = cursor
  const isFirst = backoff.tries === 0
  const backoffMs = backoff.nextDelayMs()
  return isFirst && !isBackground && cursor.retryMs !== undefined ? retryMs : Math.max(backoffMs, retryMs, retryAfterMs)
}
