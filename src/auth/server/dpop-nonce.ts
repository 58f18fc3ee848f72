// Nonces for DPoP proofs: made of the time and a secret, so that servers that share it need share nothing else.
import { encodeBase64Url } from '../../primitives/base64.ts'

export type NonceSecret = string | Uint8Array

export interface Nonces {
  current(): Promise<string>
  accepts(nonce: unknown): Promise<boolean>
}

/** A nonce is handed out for one period and good for the next one too. */
const PERIOD_MS = 60_000
const MIN_SECRET_BYTES = 32

const utf8 = new TextEncoder()

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
