// A sealing key by node:crypto: the same bytes as WebCrypto makes, in a third of the time and without a turn of the event loop.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { OwnBytes } from '../primitives/byte-tools.ts'
import {
  infoOf,
  KEY_BYTES,
  KEY_ID_BYTES,
  type MakeSealingKey,
  NONCE_BYTES,
  nonceInput,
  type SealingKey,
  TAG_BYTES,
} from '../primitives/sealing/sealing-key.ts'

const CIPHER = 'aes-256-gcm'
const TAG = { authTagLength: TAG_BYTES }
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const makeNodeSealingKey: MakeSealingKey = (secret, purpose) => new NodeSealingKey(secret, purpose)

class NodeSealingKey implements SealingKey {
  readonly id: Uint8Array
  readonly #key: Uint8Array
  readonly #nonceKey: Uint8Array

  constructor(secret: OwnBytes, purpose: string) {
    const derive = (part: 'id' | 'key' | 'nonce', bytes: number) =>
      new Uint8Array(hkdfSync('sha256', secret, '', infoOf(purpose, part), bytes))
    this.id = derive('id', KEY_ID_BYTES)
    this.#key = derive('key', KEY_BYTES)
    this.#nonceKey = derive('nonce', KEY_BYTES)
  }

  seal(text: string, name: string): string {
    const [plain, additional] = [Buffer.from(text), Buffer.from(name)]
    const hmac = createHmac('sha256', this.#nonceKey)
    for (const part of nonceInput(plain, additional)) hmac.update(part)
    const nonce = hmac.digest().subarray(0, NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce, TAG).setAAD(additional)
    const pieces = [this.id, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]
    return Buffer.concat(pieces).toString('base64url')
  }

  open(sealed: Uint8Array, name: string): string | undefined {
    const nonce = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES)
    const end = sealed.length - TAG_BYTES
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, TAG).setAAD(Buffer.from(name))
      decipher.setAuthTag(sealed.subarray(end))
      const text = decipher.update(sealed.subarray(KEY_ID_BYTES + NONCE_BYTES, end))
      // Throws where anything was altered, so the text is used by nobody before.
      decipher.final()
      return decoder.decode(text)
    } catch {
      return undefined
    }
  }
}
