// Digests of files, and the fingerprint of a whole skill.
import type { SkillResource } from '../../../types/extensions/skills.ts'

const DIGEST = /^sha256:[0-9a-f]{64}$/

export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && DIGEST.test(value)
}

/** `sha256:` and the hash of the bytes, in lower-case hex. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  // The platform hashes buffers that nobody else can change; these have one owner.
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The same for the same files with the same contents, in whatever order. JSON keeps URIs apart that contain separators. */
export function fingerprintOf(resources: readonly SkillResource[]): Promise<string> {
  const pairs = resources.map(({ uri, digest }) => JSON.stringify([uri, digest])).sort()
  return digestOf(new TextEncoder().encode(`[${pairs.join(',')}]`))
}
