// Encrypts text with AES-256-GCM, with keys derived from the author's secrets.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { decodeBase64Url, encodeBase64Url } from '../../primitives/base64.ts'
import type { OwnBytes } from '../../primitives/byte-tools.ts'
import { checkSecrets, isSame, MIN_SECRET_BYTES } from '../../primitives/sealing/secrets.ts'
import { RenewedKeys } from './renewed-keys.ts'
import type { RequestStateKeys } from './secrets.ts'

/** Why a token could not be opened. */
export type TokenFault = 'malformed' | 'unknown-key' | 'altered'

export type OpenedToken =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: TokenFault }

export interface Cipher {
  encrypt(text: string): Promise<string>
  decrypt(token: string): Promise<OpenedToken>
}

interface Key {
  /** Identifies the key of a token, and reveals nothing about it. */
  readonly id: OwnBytes
  readonly key: CryptoKey
}

const PREFIX = 'v1.'
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BITS = 256
const STATE_SECRET = Symbol.for('mcpwire.state-secret')

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The first secret encrypts, all of them decrypt. A function is asked for them again every `refreshMs`. Without secrets a random one
 * is used, which is lost with this object.
 * `TypeError` or `RangeError` for secrets that cannot be used.
 */
export function createCipher(secrets: RequestStateKeys | undefined, refreshMs = Infinity): Cipher {
  const keys = keysOf(secrets, refreshMs)

  return {
    async encrypt(text) {
      const [{ id, key }] = await keys.current()
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const sealed = await crypto.subtle.encrypt(algorithm(nonce, id), key, encoder.encode(text))
      return PREFIX + encodeBase64Url(concat(id, nonce, new Uint8Array(sealed)))
    },
    async decrypt(token) {
      const bytes = token.startsWith(PREFIX) ? decodeBase64Url(token.slice(PREFIX.length)) : undefined
      if (bytes === undefined || bytes.length < KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES) return failed('malformed')
      const id = bytes.slice(0, KEY_ID_BYTES)
      const withId = ({ id: known }: Key) => isSame(known, id)
      let candidates = (await keys.current()).filter(withId)
      // Another node may have a newer key.
      if (candidates.length === 0) candidates = (await keys.newest()).filter(withId)
      if (candidates.length === 0) return failed('unknown-key')
      const nonce = bytes.slice(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES)
      const sealed = bytes.slice(KEY_ID_BYTES + NONCE_BYTES)
      for (const { key } of candidates) {
        const text = await open(key, algorithm(nonce, id), sealed)
        if (text !== undefined) return { ok: true, text }
      }
      return failed('altered')
    },
  }
}

type Keys = readonly [Key, ...Key[]]

function keysOf(
  secrets: RequestStateKeys | undefined,
  refreshMs: number,
): { current(): MaybePromise<Keys>; newest(): MaybePromise<Keys> } {
  if (typeof secrets === 'function') {
    return new RenewedKeys(async () => deriveKeys(checkSecrets('requestState keys', await secrets())), refreshMs)
  }
  const checked = secrets === undefined ? undefined : checkSecrets('requestState keys', secrets)
  let keys: Promise<Keys> | undefined
  // On first use: some runtimes have no random values while modules load.
  const current = () => {
    keys ??= deriveKeys(checked ?? [findStateSecret() ?? crypto.getRandomValues(new Uint8Array(MIN_SECRET_BYTES))])
    return keys
  }
  return { current, newest: current }
}

/** Set by the command line, which replaces the process of a server while its clients go on. */
function findStateSecret(): OwnBytes | undefined {
  const secret = (globalThis as { [STATE_SECRET]?: Uint8Array })[STATE_SECRET]
  return secret === undefined ? undefined : checkSecrets('requestState keys', [secret])[0]
}

async function deriveKeys(secrets: readonly OwnBytes[]): Promise<Keys> {
  const keys = await Promise.all(secrets.map(deriveKey))
  return keys as unknown as Keys
}

async function deriveKey(secret: OwnBytes): Promise<Key> {
  const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits', 'deriveKey'])
  const [id, key] = await Promise.all([
    crypto.subtle.deriveBits(derivation('key id'), material, KEY_ID_BYTES * 8),
    crypto.subtle.deriveKey(derivation('key'), material, { name: 'AES-GCM', length: KEY_BITS }, false, [
      'encrypt',
      'decrypt',
    ]),
  ])
  return { id: new Uint8Array(id), key }
}

function derivation(purpose: string): HkdfParams {
  const info = encoder.encode(`mcpwire requestState v1 ${purpose}`)
  return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }
}

/** Version and key id are authenticated, so that neither can be replaced. */
function algorithm(nonce: OwnBytes, keyId: OwnBytes): AesGcmParams {
  return { name: 'AES-GCM', iv: nonce, additionalData: concat(encoder.encode(PREFIX), keyId), tagLength: TAG_BYTES * 8 }
}

async function open(key: CryptoKey, parameters: AesGcmParams, sealed: OwnBytes): Promise<string | undefined> {
  try {
    return decoder.decode(await crypto.subtle.decrypt(parameters, key, sealed))
  } catch {
    return undefined
  }
}

function failed(fault: TokenFault): OpenedToken {
  return { ok: false, fault }
}

function concat(...parts: readonly OwnBytes[]): OwnBytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
