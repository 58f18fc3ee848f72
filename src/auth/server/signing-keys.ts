// The signature algorithms that are accepted, and the keys of an issuer: cached, fetched again on rotation, at a limited rate.

import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { rangeError } from '../../primitives/help.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { IssuerFetch } from './issuer-fetch.ts'

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

/** The algorithms of signatures that can be accepted. All are asymmetric. */
export type JwtAlgorithm = (typeof ASYMMETRIC_ALGORITHMS)[number]

/** All asymmetric: a public key must never serve as a shared secret. Throws `RangeError` for an empty list or another name. */
export function checkAlgorithms(algorithms: readonly JwtAlgorithm[] = ASYMMETRIC_ALGORITHMS): JwtAlgorithm[] {
  if (algorithms.length === 0) throw rangeError('wrong-option', 'algorithms must not be empty')
  const unknown = algorithms.find((name) => !ASYMMETRIC_ALGORITHMS.includes(name))
  if (unknown === undefined) return [...algorithms]
  throw rangeError(
    'wrong-option',
    `algorithms must not contain ${unknown}. Use some of ${ASYMMETRIC_ALGORITHMS.join(', ')}`,
  )
}

/** Finds the key for a token's signature. Rejects with a JOSE error if there is none. */
export type FindKey = JWTVerifyGetKey

export interface RemoteKeysOptions {
  readonly fetch: IssuerFetch
  /** An unknown key id causes another fetch, but not sooner than this after the last one. */
  readonly cooldownMs: number
  /** Keys older than this are fetched again before use. */
  readonly maxAgeMs: number
}

/** `IssuerFetch` has its own time limit; the library must not have a shorter one. */
const LIBRARY_TIMEOUT_MS = 600_000
/** Short, so that a recovered issuer is used soon. */
const MAX_FAILURE_COOLDOWN_MS = 2_000

export function localKeys(keys: JSONWebKeySet): FindKey {
  return createLocalJWKSet(keys)
}

export function remoteKeys(url: URL, { fetch, cooldownMs, maxAgeMs }: RemoteKeysOptions): FindKey {
  const fetchKeys = async (href: string, { headers, signal }: { headers: Headers; signal: AbortSignal }) => {
    const response = await fetch(href, { headers, signal })
    if (response.status === 200) return response
    throw new TransportError(`The request for the signing keys at ${href} failed`, { status: response.status })
  }
  return createRemoteJWKSet(url, {
    cooldownDuration: cooldownMs,
    cacheMaxAge: maxAgeMs,
    timeoutDuration: LIBRARY_TIMEOUT_MS,
    [customFetch]: withFailureCooldown(fetchKeys, cooldownMs),
  })
}

/** Repeats a failure for a while instead of the work: callers must not be able to make us flood a server that is down. */
export function withFailureCooldown<Args extends unknown[], Value>(
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
