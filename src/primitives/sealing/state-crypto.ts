// What sealing the state of a call needs of cryptography: WebCrypto has it everywhere, and Node has it without a job for a thread.
import type { MaybePromise } from '../async/promises.ts'
import type { OwnBytes } from '../byte-tools.ts'

export const STATE_KEY_ID_BYTES = 4
export const STATE_KEY_BYTES = 32
export const STATE_TAG_BYTES = 16

/** AES-256-GCM under one key. */
export interface StateKey {
  /** Identifies the key of a token, and reveals nothing about it. */
  readonly id: OwnBytes
  /** The sealed text, followed by its tag. */
  encrypt(nonce: OwnBytes, additional: OwnBytes, text: OwnBytes): MaybePromise<Uint8Array>
  /** Of what `encrypt` has made. `undefined` where it was made by another key or altered. */
  decrypt(nonce: OwnBytes, additional: OwnBytes, sealed: OwnBytes): MaybePromise<Uint8Array | undefined>
}

export interface StateCrypto {
  /** Derives a key from a secret. */
  deriveKey(secret: OwnBytes): MaybePromise<StateKey>
  /** SHA-256. */
  digest(bytes: OwnBytes): MaybePromise<Uint8Array>
}

/** What the parts of a key are derived by. */
export function stateKeyInfo(part: 'key id' | 'key'): string {
  return `mcpwire requestState v1 ${part}`
}
