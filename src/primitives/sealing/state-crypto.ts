// What sealing the state of a call needs of cryptography: WebCrypto has it everywhere, and Node has it without a job for a thread.
import type { MaybePromise } from '../async/promises.ts'
import type { OwnBytes } from '../byte-tools.ts'

export const STATE_KEY_ID_BYTES = 4
export const STATE_KEY_BYTES = 32
export const STATE_NONCE_BYTES = 12
export const STATE_TAG_BYTES = 16

/** AES-256-GCM under one key. A sealed text is the id of the key, the nonce, the encrypted text and its tag. */
export interface StateKey {
  /** Identifies the key of a token, and reveals nothing about it. */
  readonly id: OwnBytes
  /** The sealed text as Base64url. No nonce may be given twice. */
  seal(text: string, nonce: OwnBytes, additional: OwnBytes): MaybePromise<string>
  /** Of the bytes that `seal` has made. `undefined` where they were made by another key or altered, or are no text. */
  open(sealed: Uint8Array, additional: OwnBytes): MaybePromise<string | undefined>
}

export interface StateCrypto {
  /** Derives a key from a secret. */
  deriveKey(secret: OwnBytes): MaybePromise<StateKey>
  /** SHA-256 of the UTF-8 form, as Base64url. */
  digest(text: string): MaybePromise<string>
  /** The bytes of a canonical Base64url text without padding; `undefined` for any other text. */
  decode(text: string): Uint8Array | undefined
}

/** What the parts of a key are derived by. */
export function stateKeyInfo(part: 'key id' | 'key'): string {
  return `mcpwire requestState v1 ${part}`
}
