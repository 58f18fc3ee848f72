// The header Retry-After.

const MAX_RETRY_AFTER_MS = 60_000

/** The delay that a `Retry-After` header asks for, in seconds or as a date, at most a minute; `undefined` if it is unreadable. */
export function readRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  if (Number.isNaN(ms)) return undefined
  return Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS)
}
