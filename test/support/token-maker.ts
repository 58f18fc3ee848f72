// Access tokens and DPoP proofs made to order, good and bad.
import { createHash, randomUUID } from 'node:crypto'
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose'

export const RESOURCE = 'https://notes.example/mcp'
export const ISSUER = 'https://id.example'

export interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  readonly thumbprint: string
}

export async function makeKey(
  kid: string = randomUUID(),
  alg: 'ES256' | 'RS256' | 'EdDSA' = 'ES256',
): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
  return { kid, privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk) }
}

export function keySet(...keys: SigningKey[]): JSONWebKeySet {
  return { keys: keys.map(({ jwk }) => jwk) }
}

/** The claims of a good token; one that is `undefined` is left out. */
export function claimsWith(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  const all = {
    iss: ISSUER,
    aud: RESOURCE,
    sub: 'ada',
    client_id: 'notebook',
    scope: 'notes:read notes:write',
    iat: now,
    exp: now + 300,
    jti: randomUUID(),
    ...changes,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

export function signToken(
  key: SigningKey,
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const whole = { alg: key.jwk.alg ?? 'ES256', kid: key.kid, typ: 'at+jwt', ...header }
  return new SignJWT(claimsWith(claims)).setProtectedHeader(whole as JWTHeaderParameters).sign(key.privateKey)
}

export interface ProofParts {
  token: string
  claims?: Record<string, unknown>
  header?: Partial<JWTHeaderParameters>
}

/** A proof for `POST` to the resource, with what a test changes about it. */
export function signProof(key: SigningKey, { token, claims = {}, header = {} }: ProofParts): Promise<string> {
  const { kid: _kid, use: _use, ...jwk } = key.jwk
  const all = {
    jti: randomUUID(),
    htm: 'POST',
    htu: RESOURCE,
    iat: Math.floor(Date.now() / 1000),
    ath: createHash('sha256').update(token).digest('base64url'),
    ...claims,
  }
  const whole = { typ: 'dpop+jwt', alg: key.jwk.alg ?? 'ES256', jwk, ...header }
  return new SignJWT(all).setProtectedHeader(whole as JWTHeaderParameters).sign(key.privateKey)
}
