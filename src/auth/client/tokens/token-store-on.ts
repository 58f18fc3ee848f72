// `tokenStoreOn()`: tokens of a client in a backend, for several processes that act for the same user.
import type { Backend } from '../../../backend/backend.ts'
import { BackendError } from '../../../backend/backend-error.ts'
import { encodeBase64Url } from '../../../primitives/base64.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { checkKeys, type KnownKeys } from '../../../primitives/options.ts'
import type { TokenStore } from './token-store.ts'

/** Options of `tokenStoreOn()`. */
export interface TokenStoreOnOptions {
  /** Whose tokens these are. Stores for different users share nothing (default: one user). */
  readonly user?: string | undefined
}

export const TOKEN_STORE_ON_KEYS: KnownKeys<TokenStoreOnOptions> = { user: 'string' }

/** Longer than refresh tokens are good for at most issuers. */
const TTL_MS = 400 * 24 * 60 * 60_000

/** How long a process that was lost keeps others waiting, how often the lock is held again, and looked at. */
const LOCK_MS = 15_000
const RENEW_MS = 5_000
const LOOK_MS = 50

/** Longer than that nobody waits: the holder is replaced after `LOCK_MS`. */
const MAX_WAIT_MS = 60_000

const encoder = new TextEncoder()

/**
 * A token store for `oauth()` whose data is in a backend. Values contain secrets: use a backend with `seal`, or `sealed()`. The
 * lock is one place in `limits`. A process that lost it meanwhile cannot overwrite the tokens of the next one.
 */
export function tokenStoreOn({ records, limits }: Backend, options: TokenStoreOnOptions = {}): TokenStore {
  checkKeys('tokenStoreOn()', options, TOKEN_STORE_ON_KEYS)
  const { user = '' } = options
  /** The revision of each locked value, as this process has last seen it. */
  const fences = new Map<string, string | undefined>()

  async function waitForLock(name: string, holder: string): Promise<void> {
    for (let waitedMs = 0; waitedMs <= MAX_WAIT_MS; waitedMs += LOOK_MS) {
      if (await limits.hold(name, holder, { max: 1, ttlMs: LOCK_MS })) return
      await pause(LOOK_MS)
    }
    const message = `The lock of the token store was not free within ${MAX_WAIT_MS} ms.`
    throw new BackendError(message, { kind: 'refused', operation: 'limits.hold' })
  }

  async function lock<T>(key: string, work: () => Promise<T>): Promise<T> {
    const name = await nameOf(user, key)
    const holder = encodeBase64Url(crypto.getRandomValues(new Uint8Array(12)))
    await waitForLock(name, holder)
    // What fails is tried again with the next turn; if none succeeds, the fence keeps the tokens of others.
    const hold = async () => void (await limits.hold(name, holder, { max: 1, ttlMs: LOCK_MS }))
    const timer = setInterval(() => void hold().catch(() => {}), RENEW_MS)
    try {
      fences.set(name, (await records.get(name))?.revision)
      return await work()
    } finally {
      clearInterval(timer)
      fences.delete(name)
      await Promise.resolve(limits.release(name, holder)).catch(() => {})
    }
  }

  return {
    async get(key) {
      const kept = await records.get(await nameOf(user, key))
      return kept === undefined ? undefined : readValue(kept.value)
    },
    async set(key, value) {
      const name = await nameOf(user, key)
      const text = JSON.stringify(value)
      if (!fences.has(name)) {
        await records.put(name, text, { ttlMs: TTL_MS })
        return
      }
      const before = fences.get(name)
      const condition = before === undefined ? 'absent' : { revision: before }
      const revision = await records.put(name, text, { ttlMs: TTL_MS, if: condition })
      if (revision === undefined) throw overtaken()
      fences.set(name, revision)
    },
    async delete(key) {
      const name = await nameOf(user, key)
      await records.delete(name)
      if (fences.has(name)) fences.set(name, undefined)
    },
    lock,
  }
}

/** Keys hold URLs of any length: in the engine they are digests. */
async function nameOf(user: string, key: string): Promise<string> {
  const bytes = encoder.encode(JSON.stringify([user, key]))
  return `tokens.${encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`
}

function readValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function overtaken(): BackendError {
  const message = 'Another process has stored newer tokens meanwhile. They are kept.'
  return new BackendError(message, { kind: 'refused', operation: 'records.put' })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
