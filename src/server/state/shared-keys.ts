// `sharedKeys()`: the keys of `requestState`, made and replaced by the nodes of a server themselves.

import type { Backend } from '../../backend/backend.ts'
import { loading } from '../../primitives/loading.ts'
import { assertPositive, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { checkSecrets } from '../../primitives/sealing/secrets.ts'
import type { KeyRing } from './key-ring.ts'
import type { RequestStateSecret } from './secrets.ts'

/** Clocks and trips take their time: an old key is accepted so much longer. */
const EXTRA_MS = 60_000

/** Options of `sharedKeys()`. */
export interface SharedKeysOptions {
  /** Encrypts the keys in the backend. The first secret encrypts, all of them decrypt. */
  readonly master: RequestStateSecret | readonly RequestStateSecret[]
  /** How long a key is used before the next one replaces it (default: 7 days). */
  readonly rotateMs?: number | undefined
  /** `requestState.refreshMs` of the servers: a new key is used once every node has asked for it twice (default: 60 s). */
  readonly refreshMs?: number | undefined
  /** `requestState.ttlMs` of the servers: so long, and a minute, an old key is still accepted (default: 10 minutes). */
  readonly ttlMs?: number | undefined
}

export const SHARED_KEYS_KEYS: KnownKeys<SharedKeysOptions> = {
  master: true,
  rotateMs: true,
  refreshMs: true,
  ttlMs: true,
}

/**
 * For `requestState.keys`: the nodes of a server share keys that one of them makes and that are replaced every `rotateMs`. A new key
 * is first accepted, then used, then accepted until its last state has expired. Times are those of the engine, not of the nodes.
 *
 * @example
 * ```ts
 * import { MCPServer, sharedKeys } from 'mcpwire/server'
 * import { redis } from 'mcpwire/redis'
 * const backend = redis('redis://localhost:6379')
 * const keys = sharedKeys(backend, { master: process.env['MASTER_SECRET'] ?? '' })
 * const server = new MCPServer('orders', { backend, requestState: { keys } })
 * ```
 */
export function sharedKeys(backend: Backend, options: SharedKeysOptions): () => Promise<readonly RequestStateSecret[]> {
  checkKeys('sharedKeys()', options, SHARED_KEYS_KEYS)
  const { master, rotateMs = 7 * 24 * 60 * 60_000, refreshMs = 60_000, ttlMs = 600_000 } = options
  for (const [name, value] of Object.entries({ rotateMs, refreshMs, ttlMs })) assertPositive(name, value)
  const secrets = checkSecrets('master', Array.isArray(master) ? master : [master as string], 'sharedKeys()')
  const times = { rotateMs, nextMs: 2 * refreshMs, openingMs: ttlMs + EXTRA_MS }
  let ring: Promise<KeyRing> | undefined
  return async () => {
    ring ??= loading(import('./key-ring.ts')).then(({ openKeyRing }) => openKeyRing(backend, secrets, times))
    const { sealing, next, opening } = await (await ring).look()
    return [sealing, ...(next === undefined ? [] : [next]), ...opening]
  }
}
