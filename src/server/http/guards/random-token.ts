// Unguessable names for sessions, for streams, and for streams in an event store.
import { encodeBase64Url } from '../../../primitives/base64.ts'

const TOKEN_BYTES = 16

/** 128 random bits in visible ASCII: letters, digits, `-` and `_`. */
export function createRandomToken(bytes: number = TOKEN_BYTES): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)))
}
