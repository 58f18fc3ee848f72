// A sealing key by WebCrypto, which is there everywhere.
import { encodeBase64Url } from '../base64.ts'
import { joinBytes, type OwnBytes } from '../byte-tools.ts'
import {
  infoOf,
  KEY_BYTES,
  KEY_ID_BYTES,
  type MakeSealingKey,
  NONCE_BYTES,
  nonceInput,
  type SealingKey,
  TAG_BYTES,
} from './sealing-key.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const makeWebSealingKey: MakeSealingKey = async (secret, purpose) => {
  const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const derive = async (part: 'id' | 'key' | 'nonce', bytes: number) => {
    const info = encoder.encode(infoOf(purpose, part))
    const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }
    return new Uint8Array(await crypto.subtle.deriveBits(parameters, material, bytes * 8))
  }
  const [id, key, nonceKey] = await Promise.all([
    derive('id', KEY_ID_BYTES),
    derive('key', KEY_BYTES),
    derive('nonce', KEY_BYTES),
  ])
  const [aes, hmac] = await Promise.all([
    crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']),
    crypto.subtle.importKey('raw', nonceKey, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
  ])
  return new WebSealingKey(id, aes, hmac)
}

class WebSealingKey implements SealingKey {
  readonly id: OwnBytes
  readonly #aes: CryptoKey
  readonly #hmac: CryptoKey

  constructor(id: OwnBytes, aes: CryptoKey, hmac: CryptoKey) {
    this.id = id
    this.#aes = aes
    this.#hmac = hmac
  }

  async seal(text: string, name: string): Promise<string> {
    const [plain, additional] = [encoder.encode(text), encoder.encode(name)]
    const input = joinAll(nonceInput(plain, additional))
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', this.#hmac, input))
    const nonce = digest.slice(0, NONCE_BYTES)
    const sealed = new Uint8Array(await crypto.subtle.encrypt(parameters(nonce, additional), this.#aes, plain))
    return encodeBase64Url(joinAll([this.id, nonce, sealed]))
  }

  async open(sealed: Uint8Array, name: string): Promise<string | undefined> {
    const nonce = sealed.slice(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES)
    const text = sealed.slice(KEY_ID_BYTES + NONCE_BYTES)
    try {
      return decoder.decode(await crypto.subtle.decrypt(parameters(nonce, encoder.encode(name)), this.#aes, text))
    } catch {
      return undefined
    }
  }
}

function parameters(iv: OwnBytes, additionalData: OwnBytes): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData, tagLength: TAG_BYTES * 8 }
}

function joinAll(pieces: readonly Uint8Array[]): OwnBytes {
  return joinBytes(
    pieces,
    pieces.reduce((length, piece) => length + piece.length, 0),
  )
}
