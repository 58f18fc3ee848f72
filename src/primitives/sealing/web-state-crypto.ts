// The cryptography of the state of a call by WebCrypto, which is there everywhere.
import type { OwnBytes } from '../byte-tools.ts'
import {
  STATE_KEY_BYTES,
  STATE_KEY_ID_BYTES,
  STATE_TAG_BYTES,
  type StateCrypto,
  type StateKey,
  stateKeyInfo,
} from './state-crypto.ts'

export const webStateCrypto: StateCrypto = {
  async deriveKey(secret) {
    const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits', 'deriveKey'])
    const aes = { name: 'AES-GCM', length: STATE_KEY_BYTES * 8 }
    const [id, key] = await Promise.all([
      crypto.subtle.deriveBits(derivation('key id'), material, STATE_KEY_ID_BYTES * 8),
      crypto.subtle.deriveKey(derivation('key'), material, aes, false, ['encrypt', 'decrypt']),
    ])
    return new WebStateKey(new Uint8Array(id), key)
  },
  digest: async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)),
}

class WebStateKey implements StateKey {
  readonly id: OwnBytes
  readonly #key: CryptoKey

  constructor(id: OwnBytes, key: CryptoKey) {
    this.id = id
    this.#key = key
  }

  async encrypt(nonce: OwnBytes, additional: OwnBytes, text: OwnBytes): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.encrypt(algorithm(nonce, additional), this.#key, text))
  }

  async decrypt(nonce: OwnBytes, additional: OwnBytes, sealed: OwnBytes): Promise<Uint8Array | undefined> {
    try {
      return new Uint8Array(await crypto.subtle.decrypt(algorithm(nonce, additional), this.#key, sealed))
    } catch {
      return undefined
    }
  }
}

function derivation(part: 'key id' | 'key'): HkdfParams {
  const info = new TextEncoder().encode(stateKeyInfo(part))
  return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }
}

function algorithm(iv: OwnBytes, additionalData: OwnBytes): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData, tagLength: STATE_TAG_BYTES * 8 }
}
