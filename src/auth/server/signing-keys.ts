// The keys of an issuer: fetched when needed, kept, renewed on rotation, and never fetched more than so often.
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { GuardedFetch } from './guarded-fetch.ts'

const ASYMMETRIC_ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
] as const

export type JwtAlgorithm = (typeof ASYMMETRIC_ALGORITHMS)[number]

/** Throws `RangeError` for an empty list and for anything that is not on ours. */
export function checkAlgorithms(algorithms: readonly JwtAlgorithm[] = ASYMMETRIC_ALGORITHMS): JwtAlgorithm[] {
  if (algorithms.length === 0) throw new RangeError('algorithms must not be empty')
  const unknown = algorithms.find((name) => !ASYMMETRIC_ALGORITHMS.includes(name))
  if (unknown === undefined) return [...algorithms]
  throw new RangeError(`algorithms must not contain ${unknown}, only some of ${ASYMMETRIC_ALGORITHMS.join(', ')}`)
}

/** How a token's signature finds its key. Rejects with a JOSE error of its own kind for a key that is not there. */
export type FindKey = JWTVerifyGetKey

export interface RemoteKeysOptions {
  readonly fetch: GuardedFetch
  /** An unknown key id makes us look again, but not sooner than this after the last look. */
  readonly cooldownMs: number
  /** Keys older than this are fetched anew before they are trusted again. */
  readonly maxAgeMs: number
}

/** The guarded fetch has a time limit of its own, which counts; the library must not have a shorter one. */
const LIBRARY_TIMEOUT_MS = 600_000
/** Short, so that an issuer that is back is noticed. */
const MAX_FAILURE_COOLDOWN_MS = 2_000

export function localKeys(keys: JSONWebKeySet): FindKey {
  return createLocalJWKSet(keys)
}

export function remoteKeys(url: URL, { fetch, cooldownMs, maxAgeMs }: RemoteKeysOptions): FindKey {
  const fetchKeys = async (href: string, { headers, signal }: { headers: Headers; signal: AbortSignal }) => {
    const response = await fetch(href, { headers, signal })
    if (response.status === 200) return response
    throw new TransportError(`The signing keys at ${href} were not given`, { status: response.status })
  }
  return createRemoteJWKSet(url, {
    cooldownDuration: cooldownMs,
    cacheMaxAge: maxAgeMs,
    timeoutDuration: LIBRARY_TIMEOUT_MS,
    [customFetch]: sparing(fetchKeys, cooldownMs),
  })
}

/**
 * After a failure the same failure is the answer for a while: callers must not be able to make us hammer a server that
 * is down.
 */
export function sparing<Args extends unknown[], Value>(
  work: (...args: Args) => Promise<Value>,
  cooldownMs: number,
): (...args: Args) => Promise<Value> {
  const restMs = Math.min(cooldownMs, MAX_FAILURE_COOLDOWN_MS)
  let failure: { readonly error: unknown; readonly at: number } | undefined
  return async (...args) => {
    if (failure !== undefined && monotonicNow() - failure.at < restMs) throw failure.error
    try {
      return await work(...args)
    } catch (error) {
      failure = { error, at: monotonicNow() }
      throw error
    }
  }
}
