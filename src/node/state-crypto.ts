// The cryptography of the state of a call by node:crypto: the same bytes as WebCrypto makes, in the same turn. For texts of this size
// a job for a thread of WebCrypto takes three to ten times as long as the work itself.
import { createCipheriv, createDecipheriv, createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { OwnBytes } from '../primitives/byte-tools.ts'
import {
  STATE_KEY_BYTES,
  STATE_KEY_ID_BYTES,
  STATE_TAG_BYTES,
  type StateCrypto,
  type StateKey,
  stateKeyInfo,
} from '../primitives/sealing/state-crypto.ts'

const CIPHER = 'aes-256-gcm'
const TAG = { authTagLength: STATE_TAG_BYTES }

export const nodeStateCrypto: StateCrypto = {
  deriveKey: (secret) => new NodeStateKey(secret),
  digest: (bytes) => createHash('sha256').update(bytes).digest(),
}

class NodeStateKey implements StateKey {
  readonly id: OwnBytes
  readonly #key: KeyObject

  constructor(secret: OwnBytes) {
    const derive = (part: 'key id' | 'key', bytes: number) =>
      new Uint8Array(hkdfSync('sha256', secret, '', stateKeyInfo(part), bytes))
    this.id = derive('key id', STATE_KEY_ID_BYTES)
    this.#key = createSecretKey(derive('key', STATE_KEY_BYTES))
  }

  encrypt(nonce: OwnBytes, additional: OwnBytes, text: OwnBytes): Uint8Array {
    const cipher = createCipheriv(CIPHER, this.#key, nonce, TAG).setAAD(additional)
    return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
  }

  decrypt(nonce: OwnBytes, additional: OwnBytes, sealed: OwnBytes): Uint8Array | undefined {
    const end = sealed.length - STATE_TAG_BYTES
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, TAG).setAAD(additional)
      decipher.setAuthTag(sealed.subarray(end))
      const text = decipher.update(sealed.subarray(0, end))
      // Throws where anything was altered, so the text is used by nobody before.
      decipher.final()
      return text
    } catch {
      return undefined
    }
  }
}
