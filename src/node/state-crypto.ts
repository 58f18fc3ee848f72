// The cryptography of the state of a call by node:crypto: the same bytes as WebCrypto makes, in the same turn. For texts of this size
// a job for a thread of WebCrypto takes three to ten times as long as the work itself.
import { createCipheriv, createDecipheriv, createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { OwnBytes } from '../primitives/byte-tools.ts'
import {
  STATE_KEY_BYTES,
  STATE_KEY_ID_BYTES,
  STATE_NONCE_BYTES,
  STATE_TAG_BYTES,
  type StateCrypto,
  type StateKey,
  stateKeyInfo,
} from '../primitives/sealing/state-crypto.ts'

const CIPHER = 'aes-256-gcm'
const TAG = { authTagLength: STATE_TAG_BYTES }
const HEAD_BYTES = STATE_KEY_ID_BYTES + STATE_NONCE_BYTES
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const nodeStateCrypto: StateCrypto = {
  deriveKey: (secret) => new NodeStateKey(secret),
  digest: (text) => createHash('sha256').update(text).digest('base64url'),
  decode(text) {
    const bytes = Buffer.from(text, 'base64url')
    // Node passes over what does not belong there. Only a canonical text is written again as it was.
    return bytes.toString('base64url') === text ? bytes : undefined
  },
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

  seal(text: string, nonce: OwnBytes, additional: OwnBytes): string {
    const cipher = createCipheriv(CIPHER, this.#key, nonce, TAG).setAAD(additional)
    const pieces = [this.id, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return Buffer.concat(pieces).toString('base64url')
  }

  open(sealed: Uint8Array, additional: OwnBytes): string | undefined {
    const end = sealed.length - STATE_TAG_BYTES
    try {
      const nonce = sealed.subarray(STATE_KEY_ID_BYTES, HEAD_BYTES)
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, TAG).setAAD(additional)
      decipher.setAuthTag(sealed.subarray(end))
      const text = decipher.update(sealed.subarray(HEAD_BYTES, end))
      // Throws where anything was altered, so the text is used by nobody before.
      decipher.final()
      return decoder.decode(text)
    } catch {
      return undefined
    }
  }
}
