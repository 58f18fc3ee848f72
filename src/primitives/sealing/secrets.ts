// Checks the secrets of a seal: long enough, and each of them once.
import type { OwnBytes } from '../byte-tools.ts'

/** At least 32 bytes that nobody can guess; a string counts by its UTF-8 bytes. */
export type Secret = Uint8Array | string

export const MIN_SECRET_BYTES = 32

/** The bytes of each secret. `TypeError` or `RangeError` for those that cannot be used. `what` begins the sentence. */
export function checkSecrets(what: string, secrets: readonly Secret[]): OwnBytes[] {
  if (!Array.isArray(secrets)) throw new TypeError(`${what} must be a list of secrets.`)
  if (secrets.length === 0) throw new RangeError(`${what} are empty. Give at least one secret, or leave them out.`)
  const checked = secrets.map((secret: Secret, index) => checkSecret(`${what}[${index}]`, secret))
  const isRepeated = checked.some((secret, index) => checked.slice(0, index).some((other) => isSame(other, secret)))
  if (isRepeated) throw new RangeError(`${what} must differ from each other.`)
  return checked
}

function checkSecret(what: string, secret: Secret): OwnBytes {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw new TypeError(`${what} must be a string or a Uint8Array.`)
  }
  // A copy, so that the caller can wipe its own.
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret)
  if (bytes.length >= MIN_SECRET_BYTES) return bytes
  throw new RangeError(`${what} must have at least ${MIN_SECRET_BYTES} bytes.`)
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
