// Reads the events of an HTTP response to their end, and opens a stream of events with a GET.

import { explainResponse } from '../../http/failures.ts'
import type { PostResponse } from '../../http/poster.ts'
import { readRetryAfter } from '../../http/retry-after.ts'
import { type ReadEvent, readServerSentEvents } from '../../http/sse-reader.ts'
import { monotonicNow, type Timer, unref } from '../../primitives/async/timer.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { LAST_EVENT_ID_HEADER } from '../../wire/headers/headers.ts'
import { type HttpLink, hasMediaType, type RequestHeaders } from './http-link.ts'
import { isConnectionFailure } from './http-status.ts'
import { type EventCursor, StreamConflict } from './resume.ts'

/** Servers send comments on idle streams far more often than this. */
const STREAM_IDLE_MS = 5 * 60_000

/** Calls back when nothing has arrived for a while. */
class IdleTimer {
  readonly #limitMs: number
  readonly #onIdle: () => void
  #lastSeenAt = monotonicNow()
  #timer: Timer

  constructor(onIdle: () => void, limitMs = STREAM_IDLE_MS) {
    this.#onIdle = onIdle
    this.#limitMs = limitMs
    this.#timer = this.#set(limitMs)
  }

  /** Something arrived. Sets no timer: the one that is set checks the time when it fires. */
  touch(): void {
    this.#lastSeenAt = monotonicNow()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #set(ms: number): Timer {
    const timer = setTimeout(() => this.#check(), ms)
    unref(timer)
    return timer
  }

  #check(): void {
    const leftMs = this.#lastSeenAt + this.#limitMs - monotonicNow()
    if (leftMs <= 0) this.#onIdle()
    else this.#timer = this.#set(leftMs)
  }
}

export interface EventReading {
  readonly cursor: EventCursor
  /** Whether silence ends the stream: for streams that have no other time limit. */
  readonly endsWhenSilent: boolean
  onEvent(event: ReadEvent): Promise<void> | undefined
  /** An id came without an event. */
  onId?(id: string): void
}

export interface EventStreamRequest extends EventReading {
  readonly headers: RequestHeaders
  /** The beginning of the error message if the stream does not open. */
  readonly what: string
  readonly signal: AbortSignal
  onOpen?(): void
}

const LAST_EVENT_ID = LAST_EVENT_ID_HEADER.toLowerCase()

/** Resolves at the end of the events, or to a transient failure to open. Rejects with a permanent one, or with what `onEvent` threw. */
export async function openEventStream(link: HttpLink, request: EventStreamRequest): Promise<Error | undefined> {
  const { cursor, signal } = request
  const resumption = cursor.lastEventId === undefined ? {} : { [LAST_EVENT_ID]: cursor.lastEventId }
  const headers = { ...request.headers, ...resumption }
  let response: PostResponse
  try {
    response = await link.poster({ method: 'GET', url: link.url, headers, signal })
  } catch (error) {
    if (!isConnectionFailure(error)) throw error
    link.health.failed(error)
    return error
  }
  if (response.status !== 200 || !hasMediaType(response.header('content-type'), 'text/event-stream')) {
    return openFailure(response, request)
  }
  link.health.responded()
  request.onOpen?.()
  try {
    await readEvents(response, link, request)
  } catch (error) {
    // A stream that breaks off is treated as one that ended.
    if (!isConnectionFailure(error)) throw error
  }
  return undefined
}

/** Reads to the end of the stream. Rejects with `TransportError` where it broke off, or with what `onEvent` threw. */
export async function readEvents(response: PostResponse, link: HttpLink, reading: EventReading): Promise<void> {
  const { cursor } = reading
  let isSilent = false
  const watch = reading.endsWhenSilent
    ? new IdleTimer(() => {
        isSilent = true
        response.cancel()
      })
    : undefined
  try {
    await readServerSentEvents(response.chunks(), {
      maxEventBytes: link.limits.maxBytes,
      onEvent: (event) => {
        watch?.touch()
        return reading.onEvent(event)
      },
      onRetry: (ms) => cursor.setRetry(ms),
      onId: (id) => {
        watch?.touch()
        cursor.moveTo(id)
        reading.onId?.(id)
      },
      ...(watch && { onComment: () => watch.touch() }),
    })
  } catch (error) {
    response.cancel()
    if (!isSilent) throw error
  } finally {
    watch?.stop()
  }
  if (isSilent) throw new TransportError(`The stream was silent for ${STREAM_IDLE_MS} ms and was closed`)
}

/** Statuses below 500 that are transient. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 425, 429])

/** Returns a transient failure; throws a permanent one. */
async function openFailure(response: PostResponse, { what, cursor }: EventStreamRequest): Promise<Error> {
  const { status } = response
  cursor.retryAfterMs = readRetryAfter(response.header('retry-after'))
  const error = await explainResponse(response, what)
  if (status < 500 && !TRANSIENT.has(status)) throw error
  // A server with one stream per session has not noticed that the previous connection is gone.
  return status === 409 ? new StreamConflict(error.message, { status }) : error
}
