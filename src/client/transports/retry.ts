// When to try again: pauses that grow, are never the same for two clients, and come to an end.

import { connectionClosed } from '../../dispatcher/error-policy.ts'
import { isDuration, monotonicNow } from '../../primitives/async/timer.ts'
import { checkKeys, type KnownKeys } from '../../primitives/json/known-keys.ts'
import { brand } from '../../types/errors/brand.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { isConnectionFailure, statusOf } from './http-status.ts'

export interface ReconnectOptions {
  /** The pause before the first new try; 500 ms unless given. Each further one is twice as long. */
  initialDelayMs?: number
  /** The longest pause; 30 s unless given. */
  maxDelayMs?: number
  /**
   * How often in a row a stream may fail to open before it is given up; 5 unless given. The stream that a session has beside its
   * calls is not given up once it was open: after so many failures a fault says that it is down, and it is tried further.
   */
  maxAttempts?: number
  /** How long a call that can be repeated without harm is repeated; 30 s unless given. */
  deadlineMs?: number
}

export const RECONNECT_KEYS: KnownKeys<ReconnectOptions> = {
  initialDelayMs: true,
  maxDelayMs: true,
  maxAttempts: true,
  deadlineMs: true,
}

export type ReconnectPolicy = Readonly<Required<ReconnectOptions>>

const DEFAULTS: ReconnectPolicy = Object.freeze({
  initialDelayMs: 500,
  maxDelayMs: 30_000,
  maxAttempts: 5,
  deadlineMs: 30_000,
})

const NEVER: ReconnectPolicy = Object.freeze({ ...DEFAULTS, maxAttempts: 0, deadlineMs: 0 })

/** Throws `RangeError` for numbers that are no durations or counts. `false` tries nothing again. */
export function understandReconnect(options: ReconnectOptions | false = {}): ReconnectPolicy {
  if (options === false) return NEVER
  checkKeys('reconnect', options, RECONNECT_KEYS)
  const policy = { ...DEFAULTS, ...options }
  for (const name of ['initialDelayMs', 'maxDelayMs', 'deadlineMs'] as const) {
    if (!isDuration(policy[name])) throw new RangeError(`reconnect.${name} must be a number of milliseconds`)
  }
  if (!Number.isInteger(policy.maxAttempts) || policy.maxAttempts < 0) {
    throw new RangeError('reconnect.maxAttempts must be a whole number, zero or more')
  }
  return policy
}

const LONGEST_RETRY_AFTER_MS = 60_000

/** What a `Retry-After` header asks for, seconds or a date, within a minute; `undefined` where it says nothing usable. */
export function readRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  if (Number.isNaN(ms)) return undefined
  return Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS)
}

// How long to wait before something is opened anew: longer each time, until it has lived for a while.

/** What opens and ends at once has come to nothing, as if it had not opened. */
export const LIVED_MS = 5_000

export interface BackoffDelays {
  /** The pause before the first new try. Each further one is twice as long. */
  readonly initialDelayMs: number
  readonly maxDelayMs: number
}

/** The pause after so many failures in a row: between half of it and all of it, so that clients do not come back as one. */
export function delayAfter(failures: number, { initialDelayMs, maxDelayMs }: BackoffDelays): number {
  const full = Math.min(initialDelayMs * 2 ** Math.min(failures - 1, 30), maxDelayMs)
  return full / 2 + (Math.random() * full) / 2
}

export class Backoff {
  readonly #delays: BackoffDelays
  #tries = 0
  #openedAt: number | undefined

  constructor(delays: BackoffDelays) {
    this.#delays = delays
  }

  /** Tries since something lived. */
  get tries(): number {
    return this.#tries
  }

  /** It is open. */
  opened(): void {
    this.#openedAt = monotonicNow()
  }

  /** It has ended, or did not open. Returns whether it has lived. */
  ended(): boolean {
    const hasLived = this.#openedAt !== undefined && monotonicNow() - this.#openedAt >= LIVED_MS
    if (hasLived) this.#tries = 0
    this.#openedAt = undefined
    return hasLived
  }

  /** It was good for something, however short. */
  reset(): void {
    this.#tries = 0
  }

  /** The pause before the next try. */
  nextDelayMs(): number {
    this.#tries += 1
    return delayAfter(this.#tries, this.#delays)
  }
}

// An attempt that failed in a way that another one may not, told apart from failures that would be the same every time.

/** The response to one request ended without the answer; other requests are not concerned. */
export class StreamLost extends TransportError {
  static {
    brand(this, 'StreamLost')
  }
}

/** Whether a call failed for that reason and no other. */
export function isStreamLost(error: unknown): boolean {
  return error instanceof MCPError && error.cause instanceof StreamLost
}

/** Whether no server could be reached at all. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TransportError && error.status === undefined
}

export interface Setback {
  /** What the caller reads where nothing comes after this attempt. */
  readonly error: Error
  readonly retryAfterMs?: number | undefined
  /** What has to be done first, where the server refused us before doing anything. */
  readonly renew?: () => Promise<void>
}

/** Statuses that say: not now. The request may or may not have reached whoever works on it. */
const BUSY: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504])

export function isBusy(status: number | undefined): boolean {
  return BUSY.has(status)
}

/** Whether the failure is one of the way to the server, and no answer that would be the same another time. */
export function mayPass(error: Error): boolean {
  const cause = error instanceof MCPError && error.local ? error.cause : error
  return isConnectionFailure(cause) || isBusy(statusOf(error))
}

/** The error of a call whose response broke off, or ended without the answer. */
export function streamEnded(method: string, cause?: Error): MCPError {
  const message = `The response to '${method}' ended without an answer; it may have been carried out`
  return connectionClosed(new StreamLost(message, { cause }))
}

/** Why a promise was rejected; `undefined` where it was not. */
export function reasonOf(work: Promise<void>): Promise<Error | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : connectionClosed()),
  )
}

// Requests that only look: sending one twice changes nothing, so a lost one may be sent again.

const SAFE_METHODS: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])

export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method)
}
