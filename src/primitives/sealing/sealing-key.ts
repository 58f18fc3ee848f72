// What seals text under a name: AES-256-GCM, with a nonce that is made of the text and the name, so that the same text under the same
// name is sealed to the same bytes. Whoever compares sealed texts can then tell a repeat, and learns nothing else.
import type { MaybePromise } from '../async/promises.ts'
import type { OwnBytes } from '../byte-tools.ts'

export const KEY_ID_BYTES = 4
export const NONCE_BYTES = 12
export const TAG_BYTES = 16
export const KEY_BYTES = 32

export interface SealingKey {
  /** Identifies the key in a sealed text, and reveals nothing about it. */
  readonly id: Uint8Array
  /** Key id, nonce, sealed text and tag, as Base64url. */
  seal(text: string, name: string): MaybePromise<string>
  /** Of the bytes that `seal` has made. `undefined` where they were made by another key, for another name, or were altered. */
  open(sealed: Uint8Array, name: string): MaybePromise<string | undefined>
}

/** Derives a key from a secret, for one purpose. */
export type MakeSealingKey = (secret: OwnBytes, purpose: string) => MaybePromise<SealingKey>

/** What the parts of a key are derived by. */
export function infoOf(purpose: string, part: 'id' | 'key' | 'nonce'): string {
  return `mcpwire ${purpose} v1 ${part}`
}

/** What the nonce is made of. The length keeps name and text apart. */
export function nonceInput(text: Uint8Array, name: Uint8Array): readonly [OwnBytes, Uint8Array, Uint8Array] {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, name.length)
  return [length, name, text]
}
