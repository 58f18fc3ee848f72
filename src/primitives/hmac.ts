// HMAC (RFC 2104) with SHA-256, for where a tag must be known in the same turn: the platform's own is asynchronous.
import { joinBytes } from './byte-tools.ts'
import { sha256 } from './sha256.ts'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

export function hmacSHA256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key)
  const [inner, outer] = [0x36, 0x5c].map((pad) => block.map((byte) => byte ^ pad)) as [Uint8Array, Uint8Array]
  const digest = sha256(joinBytes([inner, message], BLOCK_BYTES + message.length))
  return sha256(joinBytes([outer, digest], BLOCK_BYTES + DIGEST_BYTES))
}
