// What a cached result depends on, as a key: nothing is served across methods, params, revisions, servers or principals.
import { encodeBase64Url } from '../../primitives/base64.ts'
import type { CacheScope } from '../../types/protocol/base.ts'
import type { CacheKey } from './response-store.ts'

export interface KeyOrigin {
  readonly protocolVersion: string
  /** Which server, without its secrets: see `fingerprint`. */
  readonly server: string
  /** On whose behalf. */
  readonly partition: string
  /** Whether results that the server calls public are kept for all partitions together. */
  readonly sharesPublic: boolean
}

/** The part of a key that invalidation goes by: a method and the params that its result depends on. */
export function slotOf(method: string, uri = ''): string {
  return JSON.stringify([method, uri])
}

export function cacheKey(slot: string, scope: CacheScope, origin: KeyOrigin): CacheKey {
  const isShared = scope === 'public' && origin.sharesPublic
  const owner = isShared ? [] : [origin.partition]
  return JSON.stringify([slot, scope, origin.protocolVersion, origin.server, ...owner])
}

/**
 * A URL without user and password, and otherwise byte for byte: any further tidying could make one server of two.
 */
export function withoutUserinfo(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}

/** A digest, because an address may hold secrets in its query and keys end up in logs and foreign stores. */
export async function fingerprint(identity: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(identity))
  return encodeBase64Url(new Uint8Array(digest))
}
