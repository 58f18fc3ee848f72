// When to try again: pauses that grow, are never the same for two clients, and come to an end.

import { isDuration } from '../../primitives/async/timer.ts'
import { checkKeys, type KnownKeys } from '../../primitives/json/known-keys.ts'

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
