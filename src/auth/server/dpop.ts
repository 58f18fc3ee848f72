// Proofs that the caller holds the key its token is bound to (DPoP, RFC 9449), checked as section 4.3 lists it.
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose'
import type { HttpExchange } from '../../http/exchange.ts'
import { hasPlainHost } from '../../http/hosts.ts'
import { encodeBase64Url } from '../../primitives/base64.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import { LimitError } from '../../types/errors/failures.ts'
import { Refused } from './refusal.ts'
import { checkAlgorithms, type JwtAlgorithm } from './signing-keys.ts'

/** About 30 MB at worst; a server with more callers than that in ten minutes has more than one process, and shares. */
const MAX_PROOFS = 100_000

/** A memory within this process. Rejects when it is full, because an old proof must not get in through a gap. */
export function rememberProofs(maxProofs = MAX_PROOFS): (id: string, expiresAt: number) => Promise<boolean> {
  const expiries = new Map<string, number>()
  let sweptAt = 0
  return async (id, expiresAt) => {
    if (expiries.has(id)) return false
    const now = Date.now() / 1000
    // Looking through all of them is work, which callers must not be able to cause at every request.
    if (expiries.size >= maxProofs && now - sweptAt >= 1) {
      sweptAt = now
      forgetExpired(expiries, now)
    }
    if (expiries.size >= maxProofs) throw new LimitError('remembered DPoP proofs', maxProofs)
    expiries.set(id, expiresAt)
    return true
  }
}

function forgetExpired(expiries: Map<string, number>, now: number): void {
  for (const [id, expiresAt] of expiries) if (expiresAt < now) expiries.delete(id)
}

export interface DpopOptions {
  /** Accepts no tokens but bound ones. */
  required?: boolean
  algorithms?: readonly JwtAlgorithm[]
  /**
   * Answers whether this proof comes for the first time, and remembers it until then (seconds since 1970). Servers behind
   * one address must share that memory; without it each keeps its own.
   */
  redeem?: (id: string, expiresAt: number) => boolean | Promise<boolean>
  /** Demands nonces, made with this secret of 32 bytes or more; servers behind one address share it. */
  nonceSecret?: NonceSecret
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
  /** Rejects with `Refused`. `thumbprint` is of the key that the token is bound to. */
  check(exchange: HttpExchange, token: string, thumbprint: string): Promise<void>
  /** For the `DPoP-Nonce` header, where nonces are demanded. */
  currentNonce(): Promise<string | undefined>
}

/** How far the time of a proof may be from ours, either way. */
const WINDOW_SECONDS = 300
const MAX_PROOF_LENGTH = 8_192
const MAX_ID_LENGTH = 256

const utf8 = new TextEncoder()

export function createProofCheck(options: DpopOptions, resource: URL): ProofCheck {
  const { required = false, redeem = rememberProofs(), nonceSecret } = options
  const algorithms = checkAlgorithms(options.algorithms)
  const nonces = nonceSecret === undefined ? undefined : createNonces(nonceSecret)

  async function check(exchange: HttpExchange, token: string, thumbprint: string): Promise<void> {
    const proof = readProof(exchange)
    const { claims, key } = await openProof(proof, algorithms)
    if (key !== thumbprint) throw refuse('the proof is signed with another key than the token is bound to')
    if (claims['htm'] !== exchange.method) throw refuse('the proof is for another method')
    if (!isAddressOf(claims['htu'], exchange, resource)) throw refuse('the proof is for another URL')
    if (claims['ath'] !== (await digest(token))) throw refuse('the proof is for another token')
    const { jti, iat } = claims
    const now = Date.now() / 1000
    if (iat === undefined || !(Math.abs(now - iat) <= WINDOW_SECONDS)) throw refuse('the proof is too old or too new')
    if (nonces !== undefined && !(await nonces.accepts(claims['nonce']))) {
      throw new Refused('nonce', 'the proof has no nonce of ours, or an old one')
    }
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) throw refuse('the proof has no usable jti')
    // Last, so that only the holder of a good token can make us remember anything.
    if ((await redeem(`${key} ${jti}`, iat + WINDOW_SECONDS)) !== true) throw refuse('the proof was used before')
  }

  return { isRequired: required, algorithms, check, currentNonce: async () => nonces?.current() }
}

function readProof(exchange: HttpExchange): string {
  const proof = exchange.header('dpop')
  if (typeof proof !== 'string') throw refuse('there is not exactly one DPoP header')
  if (proof.length > MAX_PROOF_LENGTH) throw refuse('the proof is too long')
  return proof
}

/** The claims, and the thumbprint of the key that the proof brings along and is signed with. */
async function openProof(proof: string, algorithms: JwtAlgorithm[]): Promise<{ claims: JWTPayload; key: string }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', algorithms })
    const { jwk } = protectedHeader
    if (jwk === undefined) throw refuse('the proof brings no key')
    return { claims: payload, key: await calculateJwkThumbprint(jwk) }
  } catch (error) {
    throw error instanceof Refused ? error : refuse('the proof does not verify', error)
  }
}

/** Our own address, or that of the request under our origin: a path may have lost its prefix on the way through a proxy. */
function isAddressOf(htu: unknown, { path }: HttpExchange, resource: URL): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false
  const url = new URL(htu)
  const { origin, pathname } = url
  return hasPlainHost(htu, url) && origin === resource.origin && (pathname === resource.pathname || pathname === path)
}

async function digest(token: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(token))))
}

function refuse(reason: string, cause?: unknown): Refused {
  return new Refused('proof', reason, cause === undefined ? undefined : { cause })
}

export type NonceSecret = string | Uint8Array

export interface Nonces {
  current(): Promise<string>
  accepts(nonce: unknown): Promise<boolean>
}

/** A nonce is handed out for one period and good for the next one too. */
const PERIOD_MS = 60_000
const MIN_SECRET_BYTES = 32

export function createNonces(secret: NonceSecret): Nonces {
  const bytes = typeof secret === 'string' ? utf8.encode(secret) : new Uint8Array(secret)
  if (bytes.length < MIN_SECRET_BYTES) throw new RangeError(`nonceSecret needs ${MIN_SECRET_BYTES} bytes or more`)
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
    // A plain comparison: a nonce is no secret, whoever asks is given one.
    return nonce === (await current()) || nonce === (await sign(Math.floor(Date.now() / PERIOD_MS) - 1))
  }

  return { current, accepts }
}
