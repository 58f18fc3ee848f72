// Encrypts text with AES-256-GCM, with keys derived from the author's secrets.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { decodeBase64Url, encodeBase64Url } from '../../primitives/base64.ts'
import type { OwnBytes } from '../../primitives/byte-tools.ts'
import { checkSecrets, isSame, MIN_SECRET_BYTES } from '../../primitives/sealing/secrets.ts'
import {
  STATE_KEY_ID_BYTES as KEY_ID_BYTES,
  type StateCrypto,
  type StateKey,
  STATE_TAG_BYTES as TAG_BYTES,
} from '../../primitives/sealing/state-crypto.ts'
import { RenewedKeys } from './renewed-keys.ts'
import type { RequestStateKeys } from './secrets.ts'
import { loadStateCrypto } from './state-crypto.ts'

/** Why a token could not be opened. */
export type TokenFault = 'malformed' | 'unknown-key' | 'altered'

export type OpenedToken =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: TokenFault }

export interface Cipher {
  encrypt(text: string): Promise<string>
  decrypt(token: string): Promise<OpenedToken>
}

const PREFIX = 'v1.'
const NONCE_BYTES = 12
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
  const nonces = new Nonces()

  return {
    async encrypt(text) {
      const [key] = await keys.current()
      const { id } = key
      const nonce = nonces.next()
      const sealed = await key.encrypt(nonce, additionalOf(id), encoder.encode(text))
      return PREFIX + encodeBase64Url(concat(id, nonce, sealed))
    },
    async decrypt(token) {
      const bytes = token.startsWith(PREFIX) ? decodeBase64Url(token.slice(PREFIX.length)) : undefined
      if (bytes === undefined || bytes.length < KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES) return failed('malformed')
      const id = bytes.slice(0, KEY_ID_BYTES)
      const withId = ({ id: known }: StateKey) => isSame(known, id)
      let candidates = (await keys.current()).filter(withId)
      // Another node may have a newer key.
      if (candidates.length === 0) candidates = (await keys.newest()).filter(withId)
      if (candidates.length === 0) return failed('unknown-key')
      const nonce = bytes.slice(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES)
      const sealed = bytes.slice(KEY_ID_BYTES + NONCE_BYTES)
      for (const key of candidates) {
        const text = decode(await key.decrypt(nonce, additionalOf(id), sealed))
        if (text !== undefined) return { ok: true, text }
      }
      return failed('altered')
    },
  }
}

/** Random bytes of several nonces are taken at once: each time costs more than the bytes. None is used twice. */
class Nonces {
  #bytes = new Uint8Array(0)
  #used = 0

  next(): OwnBytes {
    if (this.#used + NONCE_BYTES > this.#bytes.length) {
      this.#bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES * 64))
      this.#used = 0
    }
    this.#used += NONCE_BYTES
    return this.#bytes.slice(this.#used - NONCE_BYTES, this.#used)
  }
}

type Keys = readonly [StateKey, ...StateKey[]]

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
  const { deriveKey }: StateCrypto = await loadStateCrypto()
  const keys = await Promise.all(secrets.map(deriveKey))
  return keys as unknown as Keys
}

/** Version and key id are authenticated, so that neither can be replaced. */
function additionalOf(keyId: OwnBytes): OwnBytes {
  return concat(encoder.encode(PREFIX), keyId)
}

function decode(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes === undefined ? undefined : decoder.decode(bytes)
  } catch {
    return undefined
  }
}

function failed(fault: TokenFault): OpenedToken {
  return { ok: false, fault }
}

function concat(...parts: readonly Uint8Array[]): OwnBytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
