// Checks the secrets of a seal: long enough, and each of them once.

import type { OwnBytes } from '../byte-tools.ts'
import { rangeError, typeError } from '../help.ts'

/** At least 32 bytes that nobody can guess; a string counts by its UTF-8 bytes. */
export type Secret = Uint8Array | string

export const MIN_SECRET_BYTES = 32

/**
 * The bytes of each secret. `TypeError` or `RangeError` for those that cannot be used. `name` is the option that has them, `owner`
 * what takes the option, as in `redis()`.
 */
export function checkSecrets(name: string, secrets: readonly Secret[], owner?: string): OwnBytes[] {
  const of = owner === undefined ? '' : ` of ${owner}`
  if (!Array.isArray(secrets)) throw typeError('bad-secret', `${name}${of} must be a list of secrets.`)
  if (secrets.length === 0) {
    throw rangeError('bad-secret', `There is no secret in ${name}${of}. Give at least one, or leave ${name} out.`)
  }
  const checked = secrets.map((secret: Secret, index) => checkSecret(`${name}[${index}]${of}`, secret))
  const isRepeated = checked.some((secret, index) => checked.slice(0, index).some((other) => isSame(other, secret)))
  if (isRepeated) throw rangeError('bad-secret', `The secrets in ${name}${of} must differ from each other.`)
  return checked
}

const UNSET = 'If it comes from an environment variable, that variable is not set.'

function checkSecret(what: string, secret: Secret): OwnBytes {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    const hint = secret === undefined ? `, not undefined. ${UNSET}` : '.'
    throw typeError('bad-secret', `${what} must be a string or a Uint8Array${hint}`)
  }
  // A copy, so that the caller can wipe its own.
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret)
  if (bytes.length >= MIN_SECRET_BYTES) return bytes
  if (bytes.length === 0)
    throw rangeError('bad-secret', `${what} is empty. Give at least ${MIN_SECRET_BYTES} bytes. ${UNSET}`)
  throw rangeError('bad-secret', `${what} must have at least ${MIN_SECRET_BYTES} bytes.`)
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
