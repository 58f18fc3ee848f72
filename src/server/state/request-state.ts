// Seals the state that a server gives to a client between the rounds of a call, so that the client cannot read or change it.

import { rangeError, typeError } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { checkSecrets } from '../../primitives/sealing/secrets.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { TokenFault } from './cipher.ts'
import type { ClaimFault } from './sealing.ts'
import type { RequestStateKeys } from './secrets.ts'

/** The call that a state belongs to. */
export interface RequestStateContext {
  /** The method of the call that the state belongs to. */
  readonly method: string
  /** Only name and arguments, or the uri, count; they must be the same when the state comes back. */
  readonly params: JSONObject | undefined
  /** Who is calling, where something has verified that. */
  readonly principal?: AuthInfo | undefined
}

/** Why a state was rejected. For logs only: the client does not get it. */
export type RequestStateFault = TokenFault | ClaimFault | 'principal-unknown' | 'redeemed' | 'unreadable'

/** How `requestState` is encrypted: keys, lifetime, audience. */
export interface RequestStateOptions {
  /**
   * The first key seals, all keys open. Put a new key first, and remove an old one when its last state has expired. A function is
   * asked for them every `refreshMs`, so that keys can change while the server runs.
   */
  keys?: RequestStateKeys | undefined
  /** How often a function for `keys` is asked again, in milliseconds (default: 60,000). */
  refreshMs?: number | undefined
  /** How long a client may take for one round (default: 600,000, 10 minutes). */
  ttlMs?: number | undefined
  /** Servers that share keys but have another audience do not accept each other's states. */
  audience: string
  /** A text that identifies the caller (default: client, issuer and subject of the token). */
  principalOf?: ((auth: AuthInfo | undefined) => string | undefined | Promise<string | undefined>) | undefined
  /**
   * Makes each state valid for one retry: return whether this id is new, and remember it until `expiresAt`. Servers that share
   * keys must share that memory. Without it a state can be used until it expires.
   */
  redeem?: ((id: string, expiresAt: number) => boolean | Promise<boolean>) | undefined
  /** Called with the reason for each rejected state. */
  onRefused?: ((reason: RequestStateFault, cause?: unknown) => void) | undefined
}

export const REQUEST_STATE_KEYS: KnownKeys<RequestStateOptions> = {
  keys: true,
  refreshMs: true,
  ttlMs: true,
  audience: true,
  principalOf: true,
  redeem: true,
  onRefused: true,
}

/** Encrypts and decrypts `requestState`. Made by `createRequestStateSeal()`, or your own. */
export interface RequestStateSeal {
  /** The state as a token that is valid for this call of this caller only. */
  seal(context: RequestStateContext, state: string): Promise<string>
  /** The state in a token. Throws the same `MCPError` -32602 whatever is wrong with it. */
  unseal(context: RequestStateContext, token: unknown): Promise<string>
  /** Whether a state is accepted once only. */
  readonly isSingleUse?: boolean
}

export const DEFAULT_TTL_MS = 600_000
const DEFAULT_REFRESH_MS = 60_000

/**
 * Throws `TypeError` or `RangeError` for keys, a lifetime or an audience that cannot be used.
 *
 * @example
 * ```ts
 * import { createRequestStateSeal } from 'mcpwire/server'
 * const seal = createRequestStateSeal({ audience: 'orders', ttlMs: 60_000 })
 * const token = await seal.seal({ method: 'tools/call', params: { name: 'pay' } }, 'step 2')
 * ```
 */
export function createRequestStateSeal(options: RequestStateOptions): RequestStateSeal {
  checkKeys('createRequestStateSeal()', options, REQUEST_STATE_KEYS)
  const { audience, keys, ttlMs = DEFAULT_TTL_MS, refreshMs = DEFAULT_REFRESH_MS } = options
  if (typeof audience !== 'string')
    throw typeError('wrong-option', 'requestState needs an audience, such as the server name')
  if (audience === '') throw rangeError('wrong-option', 'The audience of requestState must not be empty')
  if (!(ttlMs > 0 && ttlMs < Number.MAX_SAFE_INTEGER))
    throw rangeError('wrong-option', 'ttlMs of requestState must be above 0')
  if (!(refreshMs > 0)) throw rangeError('wrong-option', 'refreshMs of requestState must be above 0')
  const given = typeof keys === 'function' || keys === undefined ? keys : checkSecrets('requestState keys', keys)
  const settings = { ...options, ttlMs, refreshMs, ...(given !== undefined && { keys: given }) }
  let sealing: RequestStateSeal | undefined
  let soon: Promise<RequestStateSeal> | undefined
  const load = async () => {
    const { createSealing } = await loading(import('./sealing.ts'))
    sealing = createSealing(settings)
    return sealing
  }
  const loaded = () => {
    soon ??= load()
    return sealing ?? soon
  }
  return {
    seal: async (context, state) => (await loaded()).seal(context, state),
    unseal: async (context, token) => (await loaded()).unseal(context, token),
    isSingleUse: options.redeem !== undefined,
  }
}
