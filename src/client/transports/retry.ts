// What is retried, when, and for how long:
//
// - A request that got no response, or 429, 502, 503 or 504, is sent again if that changes nothing on the server (`safe` in
//   wire/methods.ts, or a tool with `readOnlyHint` or `idempotentHint`), until `deadlineMs` has passed: `nextRequestDelay`.
// - A response to a request of the server, likewise: one-way-post.ts.
// - A response stream that broke off is resumed by its last event id, until it failed `maxAttempts` times in a row: resume.ts.
// - The standalone stream of a legacy session is reopened for as long as the session lives: standalone-stream.ts.
// - A request that got 404 in a session is sent again in a new session: session-expired.ts.
//
// `reconnect: false` turns off the first four. Delays grow, differ between clients, and are never shorter than `Retry-After`.

import { connectionClosedError } from '../../dispatcher/error-policy.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import {
  assertCount,
  assertDuration,
  checkKeys,
  type Decided,
  givenOf,
  type KnownKeys,
} from '../../primitives/options.ts'
import { brand, MCPError } from '../../types/errors/errors.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { requestFacts } from '../../wire/method-rows.ts'
import { isConnectionFailure, statusOf } from './http-status.ts'

/** How a client opens a lost stream again and repeats requests that only read. */
export interface ReconnectOptions {
  /** The delay before the first retry (default: 500 ms). Each further delay is twice as long. */
  initialDelayMs?: number | undefined
  /** The longest delay (default: 30 s). */
  maxDelayMs?: number | undefined
  /**
   * How often in a row a stream may fail to open before the client gives up (default: 5). The standalone stream of a legacy
   * session is retried for as long as the session lives, once it was open; after this many failures the client reports a fault.
   */
  maxAttempts?: number | undefined
  /** How long a request that is safe to repeat is retried (default: 30 s). */
  deadlineMs?: number | undefined
}

export const RECONNECT_KEYS: KnownKeys<ReconnectOptions> = {
  initialDelayMs: true,
  maxDelayMs: true,
  maxAttempts: true,
  deadlineMs: true,
}

export type RetryPolicy = Decided<ReconnectOptions>

const DEFAULTS: RetryPolicy = Object.freeze({
  initialDelayMs: 500,
  maxDelayMs: 30_000,
  maxAttempts: 5,
  deadlineMs: 30_000,
})

const NEVER: RetryPolicy = Object.freeze({ ...DEFAULTS, maxAttempts: 0, deadlineMs: 0 })

/** Throws `RangeError` for numbers that are no durations or counts. `false` turns retries off. */
export function parseReconnectOptions(options: ReconnectOptions | false = {}): RetryPolicy {
  if (options === false) return NEVER
  checkKeys('reconnect', options, RECONNECT_KEYS)
  const policy: RetryPolicy = { ...DEFAULTS, ...givenOf(options) }
  for (const name of ['initialDelayMs', 'maxDelayMs', 'deadlineMs'] as const) {
    assertDuration(`reconnect.${name}`, policy[name])
  }
  assertCount('reconnect.maxAttempts', policy.maxAttempts, 0)
  return policy
}

/** An attempt that failed in a way that the next one may not. */
export interface RetryableFailure {
  /** What the caller gets where no attempt follows. */
  readonly error: Error
  readonly retryAfterMs?: number | undefined
  /** Has to succeed before the next attempt, where the server rejected the request because its session has expired. */
  readonly renewSession?: () => Promise<void>
}

/** The attempts of one request so far. */
export interface RequestAttempts {
  /** A second execution changes nothing on the server. */
  readonly isRepeatable: boolean
  /** How often it was sent again. */
  readonly retries: number
  readonly startedAt: number
}

/** How long to wait before a failed request is sent again; `undefined` where it must not be, or its time is up. */
export function nextRequestDelay(
  { isRepeatable, retries, startedAt }: RequestAttempts,
  policy: RetryPolicy,
  retryAfterMs = 0,
): number | undefined {
  if (!isRepeatable) return undefined
  const delayMs = Math.max(backoffDelay(retries + 1, policy), retryAfterMs)
  return monotonicNow() - startedAt + delayMs > policy.deadlineMs ? undefined : delayMs
}

/** Whether requests of this method only read, so that a lost one may be sent again. */
export function isSafeMethod(method: string): boolean {
  return requestFacts(method)?.safe === true
}

/** Statuses of a server or proxy that is too busy. The request may or may not have been executed. */
const BUSY: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504])

export function isBusy(status: number | undefined): boolean {
  return BUSY.has(status)
}

/** Whether the connection failed or the server is busy, and so the next attempt may succeed. */
export function isTransient(error: Error): boolean {
  const cause = error instanceof MCPError && error.local ? error.cause : error
  return isConnectionFailure(cause) || isBusy(statusOf(error))
}

export interface BackoffDelays {
  /** The delay before the first retry. Each further delay is twice as long. */
  readonly initialDelayMs: number
  readonly maxDelayMs: number
}

/** The delay after so many failures in a row: a random share between half and all of it, so that clients spread out. */
export function backoffDelay(failures: number, { initialDelayMs, maxDelayMs }: BackoffDelays): number {
  const full = Math.min(initialDelayMs * 2 ** Math.min(failures - 1, 30), maxDelayMs)
  return full / 2 + (Math.random() * full) / 2
}

/** A stream that ends sooner than this counts as failed. */
export const STABLE_AFTER_MS = 5_000

/** Delays between the connections of one stream: they grow until a connection was stable. */
export class Backoff {
  readonly #delays: BackoffDelays
  #retries = 0
  #openedAt: number | undefined

  constructor(delays: BackoffDelays) {
    this.#delays = delays
  }

  /** Retries since a connection was stable. */
  get retries(): number {
    return this.#retries
  }

  opened(): void {
    this.#openedAt = monotonicNow()
  }

  /** The connection ended, or did not open. Returns whether it was stable. */
  ended(): boolean {
    const wasStable = this.#openedAt !== undefined && monotonicNow() - this.#openedAt >= STABLE_AFTER_MS
    if (wasStable) this.#retries = 0
    this.#openedAt = undefined
    return wasStable
  }

  /** The connection made progress, however short it was. */
  reset(): void {
    this.#retries = 0
  }

  nextDelayMs(): number {
    this.#retries += 1
    return backoffDelay(this.#retries, this.#delays)
  }
}

/** The HTTP response to one request ended without the JSON-RPC response; other requests are not affected. */
export class StreamLost extends TransportError {
  static {
    brand(this, 'StreamLost')
  }
}

/** Whether a call failed because its response stream broke off. */
export function isStreamLost(error: unknown): boolean {
  return error instanceof MCPError && error.cause instanceof StreamLost
}

/** The error of a call whose HTTP response ended without the JSON-RPC response. */
export function streamLostError(method: string, cause?: Error): MCPError {
  const message = `The response to '${method}' ended without a result. The server may have executed the request.`
  return connectionClosedError(new StreamLost(message, { cause }))
}
