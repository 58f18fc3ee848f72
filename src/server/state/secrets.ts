// Checks the secrets of a seal: long enough, and each of them once.
import type { OwnBytes } from '../../primitives/byte-tools.ts'

/** At least 32 bytes that nobody can guess; a string counts by its UTF-8 bytes. */
export type RequestStateSecret = Uint8Array | string

export type Bytes = OwnBytes

export const MIN_SECRET_BYTES = 32

/** The bytes of each secret. `TypeError` or `RangeError` for those that cannot be used. */
export function checkSecrets(secrets: readonly RequestStateSecret[]): Bytes[] {
  if (!Array.isArray(secrets)) throw new TypeError('requestState keys must be a list of secrets')
  if (secrets.length === 0) throw new RangeError('requestState keys are empty; leave them out to get a random one')
  const checked = secrets.map(checkSecret)
  const isRepeated = checked.some((secret, index) => checked.slice(0, index).some((other) => isSame(other, secret)))
  if (isRepeated) throw new RangeError('requestState keys must differ from each other')
  return checked
}

function checkSecret(secret: RequestStateSecret, index: number): Bytes {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw new TypeError(`requestState keys[${index}] must be a string or a Uint8Array`)
  }
  // A copy, so that the caller can wipe its own.
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret)
  if (bytes.length >= MIN_SECRET_BYTES) return bytes
  throw new RangeError(`requestState keys[${index}] must have at least ${MIN_SECRET_BYTES} bytes`)
}

export function isSame(a: Bytes, b: Bytes): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
