// Checks DPoP proofs (RFC 9449, section 4.3): the caller holds the key that its token is bound to.

import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose'
import type { HttpExchange, HttpHandler } from '../../http/exchange.ts'
import { hasPlainHost } from '../../http/hosts.ts'
import { encodeBase64Url } from '../../primitives/base64.ts'
import { rangeError } from '../../primitives/help.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import { LimitError } from '../../types/errors/failures.ts'
import { RefusedRequest } from './refusal.ts'
import { checkAlgorithms, type JwtAlgorithm } from './signing-keys.ts'

/** How tokens are checked that are bound to a key (DPoP). */
export interface DpopOptions {
  /** Accepts only tokens that are bound to a key (default: `false`). */
  required?: boolean | undefined
  /** The algorithms of signatures that are accepted (default: all of `JwtAlgorithm`). */
  algorithms?: readonly JwtAlgorithm[] | undefined
  /**
   * Returns whether this proof is used for the first time, and remembers it until `expiresAt` (seconds since 1970). Servers
   * behind one address must share this memory (default: the backend of the server, else one per process).
   */
  redeem?: ((id: string, expiresAt: number) => boolean | Promise<boolean>) | undefined
  /** Requires nonces, derived from this secret of at least 32 bytes. Servers behind one address share the secret. */
  nonceSecret?: NonceSecret | undefined
}

export const DPOP_KEYS: KnownKeys<DpopOptions> = {
  required: true,
  algorithms: true,
  redeem: true,
  nonceSecret: true,
}

export interface ProofCheck {
  readonly isRequired: boolean
  readonly algorithms: readonly JwtAlgorithm[]
  /** Rejects with `RefusedRequest`. `thumbprint` is of the key that the token is bound to. */
  check(exchange: HttpExchange, token: string, thumbprint: string): Promise<void>
  /** For the `DPoP-Nonce` header, if nonces are required. */
  currentNonce(): Promise<string | undefined>
}

/** How far the time of a proof may be from ours, in either direction. */
const WINDOW_SECONDS = 300
const MAX_PROOF_LENGTH = 8_192
const MAX_ID_LENGTH = 256

const utf8 = new TextEncoder()

/** `shared` remembers proofs for all nodes of the server, in milliseconds. An own `redeem` comes first. */
export function createProofCheck(options: DpopOptions, resource: URL, shared?: HttpHandler['redeem']): ProofCheck {
  const { required = false, nonceSecret } = options
  const redeem = options.redeem ?? (shared && redeemBy(shared)) ?? createProofMemory()
  const algorithms = checkAlgorithms(options.algorithms)
  const nonces = nonceSecret === undefined ? undefined : createNonces(nonceSecret)

  async function check(exchange: HttpExchange, token: string, thumbprint: string): Promise<void> {
    const proof = readProof(exchange)
    const { claims, key } = await openProof(proof, algorithms)
    if (key !== thumbprint) throw refuseProof('the proof is signed with another key than the token is bound to')
    if (claims['htm'] !== exchange.method) throw refuseProof('the proof is for another method')
    if (!isAddressOf(claims['htu'], exchange, resource)) throw refuseProof('the proof is for another URL')
    if (claims['ath'] !== (await digest(token))) throw refuseProof('the proof is for another token')
    const { jti, iat } = claims
    const now = Date.now() / 1000
    if (iat === undefined || !(Math.abs(now - iat) <= WINDOW_SECONDS))
      throw refuseProof('the proof is too old or too new')
    if (nonces !== undefined && !(await nonces.accepts(claims['nonce']))) {
      throw new RefusedRequest('nonce', 'the proof has no valid nonce of this server')
    }
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH)
      throw refuseProof('the proof has no usable jti')
    // Last, so that only callers with a valid token use our memory.
    if ((await redeem(`${key} ${jti}`, iat + WINDOW_SECONDS)) !== true) throw refuseProof('the proof was used before')
  }

  return { isRequired: required, algorithms, check, currentNonce: async () => nonces?.current() }
}

function readProof(exchange: HttpExchange): string {
  const proof = exchange.header('dpop')
  if (typeof proof !== 'string') throw refuseProof('there is not exactly one DPoP header')
  if (proof.length > MAX_PROOF_LENGTH) throw refuseProof('the proof is too long')
  return proof
}

/** The claims, and the thumbprint of the key in the proof, which it is signed with. */
async function openProof(proof: string, algorithms: JwtAlgorithm[]): Promise<{ claims: JWTPayload; key: string }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', algorithms })
    const { jwk } = protectedHeader
    if (jwk === undefined) throw refuseProof('the proof brings no key')
    return { claims: payload, key: await calculateJwkThumbprint(jwk) }
  } catch (error) {
    throw error instanceof RefusedRequest ? error : refuseProof('the proof does not verify', error)
  }
}

/** Whether the URL is the resource, or the path of the request under its origin: a proxy may have removed a prefix. */
function isAddressOf(htu: unknown, { path }: HttpExchange, resource: URL): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false
  const url = new URL(htu)
  const { origin, pathname } = url
  return hasPlainHost(htu, url) && origin === resource.origin && (pathname === resource.pathname || pathname === path)
}

async function digest(token: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(token))))
}

function refuseProof(reason: string, cause?: unknown): RefusedRequest {
  return new RefusedRequest('proof', reason, cause === undefined ? undefined : { cause })
}

function redeemBy(shared: NonNullable<HttpHandler['redeem']>): NonNullable<DpopOptions['redeem']> {
  return (id, expiresAt) => shared(`dpop ${id}`, expiresAt * 1000)
}

/** At most about 30 MB. A server with more proofs in ten minutes runs in several processes and needs `redeem`. */
const MAX_PROOFS = 100_000

/**
 * Remembers proofs in this process. Rejects when it is full, because forgetting a proof would let it be used again. The proofs of one key, which
 * an id begins with, fill half of it at most: other callers still get in.
 */
export function createProofMemory(maxProofs = MAX_PROOFS): (id: string, expiresAt: number) => Promise<boolean> {
  const expiries = new Map<string, number>()
  const counts = new Map<string, number>()
  const share = Math.ceil(maxProofs / 2)
  let sweptAt = 0
  return async (id, expiresAt) => {
    if (expiries.has(id)) return false
    const key = keyIn(id)
    const isFull = () => expiries.size >= maxProofs || (counts.get(key) ?? 0) >= share
    const now = Date.now() / 1000
    // At most once per second: callers must not be able to cause a pass over all entries at every request.
    if (isFull() && now - sweptAt >= 1) {
      sweptAt = now
      for (const [known, expiry] of expiries) {
        if (expiry >= now) continue
        expiries.delete(known)
        const left = (counts.get(keyIn(known)) ?? 0) - 1
        if (left > 0) counts.set(keyIn(known), left)
        else counts.delete(keyIn(known))
      }
    }
    if (isFull()) throw new LimitError('remembered DPoP proofs', expiries.size >= maxProofs ? maxProofs : share)
    expiries.set(id, expiresAt)
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return true
  }
}

function keyIn(id: string): string {
  return id.split(' ', 1)[0] as string
}

export type NonceSecret = string | Uint8Array

export interface Nonces {
  current(): Promise<string>
  accepts(nonce: unknown): Promise<boolean>
}

/** A nonce is issued for one period and valid in the next one too. */
const PERIOD_MS = 60_000
const MIN_SECRET_BYTES = 32

export function createNonces(secret: NonceSecret): Nonces {
  const bytes = typeof secret === 'string' ? utf8.encode(secret) : new Uint8Array(secret)
  if (bytes.length < MIN_SECRET_BYTES)
    throw rangeError('bad-secret', `nonceSecret needs ${MIN_SECRET_BYTES} bytes or more`)
  let key: Promise<CryptoKey> | undefined
  let latest: { readonly period: number; readonly nonce: Promise<string> } | undefined

  async function sign(period: number): Promise<string> {
    key ??= crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const signature = await crypto.subtle.sign('HMAC', await key, utf8.encode(`dpop-nonce ${period}`))
    return encodeBase64Url(new Uint8Array(signature))
  }

  function current(): Promise<string> {
    const period = Math.floor(Date.now() / PERIOD_MS)
    if (latest?.period !== period) latest = { period, nonce: sign(period) }
    return latest.nonce
  }

  async function accepts(nonce: unknown): Promise<boolean> {
    // A plain comparison is safe: a nonce is no secret, every caller gets one.
    return nonce === (await current()) || nonce === (await sign(Math.floor(Date.now() / PERIOD_MS) - 1))
  }

  return { current, accepts }
}
