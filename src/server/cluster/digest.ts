// Names in the engine are digests: nothing that a client sent is part of a key, a log or a topic.
import { encodeBase64Url } from '../../primitives/base64.ts'

const encoder = new TextEncoder()

/** SHA-256 of the parts in base64url, 43 characters. Other parts, or the same text cut elsewhere, give another digest. */
export async function digestOf(...parts: readonly string[]): Promise<string> {
  const bytes = encoder.encode(parts.length === 1 ? parts[0] : JSON.stringify(parts))
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** So many random bytes in base64url. */
export function randomName(bytes: number): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)))
}
