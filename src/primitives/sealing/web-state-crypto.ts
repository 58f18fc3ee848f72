// The cryptography of the state of a call by WebCrypto, which is there everywhere.
import { decodeBase64Url, encodeBase64Url } from '../base64.ts'
import { joinBytes, type OwnBytes } from '../byte-tools.ts'
import {
  STATE_KEY_BYTES,
  STATE_KEY_ID_BYTES,
  STATE_NONCE_BYTES,
  STATE_TAG_BYTES,
  type StateCrypto,
  type StateKey,
  stateKeyInfo,
} from './state-crypto.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

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
  digest: async (text) => encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))),
  decode: decodeBase64Url,
}

class WebStateKey implements StateKey {
  readonly id: OwnBytes
  readonly #key: CryptoKey

  constructor(id: OwnBytes, key: CryptoKey) {
    this.id = id
    this.#key = key
  }

  async seal(text: string, nonce: OwnBytes, additional: OwnBytes): Promise<string> {
    const encrypted = await crypto.subtle.encrypt(algorithm(nonce, additional), this.#key, encoder.encode(text))
    const pieces = [this.id, nonce, new Uint8Array(encrypted)]
    return encodeBase64Url(joinBytes(pieces, STATE_KEY_ID_BYTES + STATE_NONCE_BYTES + encrypted.byteLength))
  }

  async open(sealed: Uint8Array, additional: OwnBytes): Promise<string | undefined> {
    const nonce = sealed.slice(STATE_KEY_ID_BYTES, STATE_KEY_ID_BYTES + STATE_NONCE_BYTES)
    const encrypted = sealed.slice(STATE_KEY_ID_BYTES + STATE_NONCE_BYTES)
    try {
      return decoder.decode(await crypto.subtle.decrypt(algorithm(nonce, additional), this.#key, encrypted))
    } catch {
      return undefined
    }
  }
}

function derivation(part: 'key id' | 'key'): HkdfParams {
  return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encoder.encode(stateKeyInfo(part)) }
}

function algorithm(iv: OwnBytes, additionalData: OwnBytes): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData, tagLength: STATE_TAG_BYTES * 8 }
}
