// Events on a response: read to their end, and on a connection of their own opened with a GET.

import { explainResponse } from '../../http/failures.ts'
import type { PostResponse } from '../../http/poster.ts'
import { type ReadEvent, readServerSentEvents } from '../../http/sse-reader.ts'
import { monotonicNow, type Timer, unref } from '../../primitives/async/timer.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { LAST_EVENT_ID_HEADER } from '../../wire/headers/headers.ts'
import { type HttpLink, hasType, type RequestHeaders } from './http-link.ts'
import { isConnectionFailure } from './http-status.ts'
import { type EventCursor, StreamConflict } from './resume.ts'
import { readRetryAfter } from './retry.ts'

/** Servers send comments on idle streams far more often than this. */
const STREAM_IDLE_MS = 5 * 60_000

class IdleWatch {
  readonly #limitMs: number
  readonly #onIdle: () => void
  #lastSeenAt = monotonicNow()
  #timer: Timer

  constructor(onIdle: () => void, limitMs = STREAM_IDLE_MS) {
    this.#onIdle = onIdle
    this.#limitMs = limitMs
    this.#timer = this.#set(limitMs)
  }

  /** A sign of life. Costs no timer: the one that is set looks back when it is due. */
  touch(): void {
    this.#lastSeenAt = monotonicNow()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #set(ms: number): Timer {
    const timer = setTimeout(() => this.#look(), ms)
    unref(timer)
    return timer
  }

  #look(): void {
    const leftMs = this.#lastSeenAt + this.#limitMs - monotonicNow()
    if (leftMs <= 0) this.#onIdle()
    else this.#timer = this.#set(leftMs)
  }
}

export interface EventReading {
  readonly cursor: EventCursor
  /** Whether silence ends the stream: for one that nothing else puts a limit to. */
  readonly endsWhenSilent: boolean
  onEvent(event: ReadEvent): Promise<void> | undefined
  /** An id came without an event. */
  onId?(id: string): void
}

export interface EventStreamRequest extends EventReading {
  readonly headers: RequestHeaders
  /** What to say where the stream does not open. */
  readonly what: string
  readonly signal: AbortSignal
  onOpen?(): void
}

const LAST_EVENT_ID = LAST_EVENT_ID_HEADER.toLowerCase()

/**
 * Resolves when the events are over, or to what kept them from beginning, where that may pass. Rejects where the server
 * has refused for good, or an event could not be taken.
 */
export async function openEventStream(link: HttpLink, request: EventStreamRequest): Promise<Error | undefined> {
  const { cursor, signal } = request
  const resuming = cursor.lastEventId === undefined ? {} : { [LAST_EVENT_ID]: cursor.lastEventId }
  const headers = { ...request.headers, ...resuming }
  let response: PostResponse
  try {
    response = await link.poster({ method: 'GET', url: link.url, headers, signal })
  } catch (error) {
    if (!isConnectionFailure(error)) throw error
    link.health.failed(error)
    return error
  }
  if (response.status !== 200 || !hasType(response.header('content-type'), 'text/event-stream')) {
    return refusedStream(response, request)
  }
  link.health.heard()
  request.onOpen?.()
  try {
    await readEvents(response, link, request)
  } catch (error) {
    // A stream that breaks off has ended, as far as anybody can tell.
    if (!isConnectionFailure(error)) throw error
  }
  return undefined
}

/** Reads to the end of the stream. Rejects with `TransportError` where that came unasked, or with what `onEvent` threw. */
export async function readEvents(response: PostResponse, link: HttpLink, reading: EventReading): Promise<void> {
  const { cursor } = reading
  let isSilent = false
  const watch = reading.endsWhenSilent
    ? new IdleWatch(() => {
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
  if (isSilent) throw new TransportError(`The stream was silent for ${STREAM_IDLE_MS} ms and was given up`)
}

/** Statuses below 500 that say: not now. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429])

async function refusedStream(response: PostResponse, { what, cursor }: EventStreamRequest): Promise<Error> {
  const { status } = response
  cursor.retryAfterMs = readRetryAfter(response.header('retry-after'))
  const error = await explainResponse(response, what)
  if (status < 500 && !PASSING.has(status)) throw error
  // What a server answers that has one stream per session, and has not noticed that the one before is gone.
  return status === 409 ? new StreamConflict(error.message, { status }) : error
}
