// Seals what a server hands to a client between the rounds of a call, so that it comes back as it went or not at all.
import type { AuthInfo } from '../types/auth.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import type { JSONObject } from '../types/json.ts'
import { createCipher, type RequestStateSecret, type TokenFault } from './request-state-cipher.ts'
import {
  bindingOf,
  type ClaimFault,
  type Claims,
  createClaims,
  findFault,
  parseClaims,
} from './request-state-claims.ts'

/** The call that a state belongs to. */
export interface RequestStateContext {
  readonly method: string
  /** Only name and arguments, or the uri, count; they must be the same when the state comes back. */
  readonly params: JSONObject | undefined
  /** Who is calling, where something has verified that. */
  readonly principal?: AuthInfo | undefined
}

/** Why a state was refused. For logs only: the peer is never told. */
export type RequestStateFault = TokenFault | ClaimFault | 'principal-unknown' | 'redeemed' | 'unreadable'

export interface RequestStateOptions {
  /** The first seals, all of them open: a new key goes in front, an old one goes when its last state has expired. */
  keys?: readonly RequestStateSecret[]
  /** How long a client may take for one round. 10 minutes unless given. */
  ttlMs?: number
  /** For whom the state is: servers that share keys, but not this word, do not accept each other's state. */
  audience: string
  /** A text that is the same for the same caller. By default client, issuer and subject of the token. */
  principalOf?: (auth: AuthInfo | undefined) => string | undefined | Promise<string | undefined>
  /**
   * Makes each state good for one retry: answer whether this id comes for the first time, and remember it until then.
   * Two servers that share keys must share that memory. Without it a state can be used until it expires.
   */
  redeem?: (id: string, expiresAt: number) => boolean | Promise<boolean>
  /** Told the true reason of each refusal. */
  onRefused?: (reason: RequestStateFault, cause?: unknown) => void
}

export interface RequestStateSeal {
  /** The state as a token that only this call of this caller can bring back. */
  seal(context: RequestStateContext, state: string): Promise<string>
  /** The state of a token. Whatever is wrong with it, the error is the same one: `MCPError` -32602. */
  unseal(context: RequestStateContext, token: unknown): Promise<string>
}

const DEFAULT_TTL_MS = 600_000

/** Throws `TypeError` or `RangeError` for keys, a lifetime or an audience that cannot be used. */
export function createRequestStateSeal(options: RequestStateOptions): RequestStateSeal {
  const { audience, ttlMs = DEFAULT_TTL_MS, principalOf = principalOfToken, redeem, onRefused } = options
  if (typeof audience !== 'string') throw new TypeError('requestState needs an audience, such as the server name')
  if (audience === '') throw new RangeError('The audience of requestState must not be empty')
  if (!(ttlMs > 0 && ttlMs < Number.MAX_SAFE_INTEGER)) throw new RangeError('ttlMs of requestState must be above 0')
  const cipher = createCipher(options.keys)

  async function seal(context: RequestStateContext, state: string): Promise<string> {
    if (typeof state !== 'string') throw new TypeError('requestState must be a string')
    const binding = await bindingOf(context, audience)
    if (binding === undefined) throw new RangeError('Only a call that may ask for input can have a requestState')
    const principal = await principalOf(context.principal)
    const claims = await createClaims(binding, principal, state, { now: Date.now(), ttlMs })
    return cipher.encrypt(JSON.stringify(claims))
  }

  async function unseal(context: RequestStateContext, token: unknown): Promise<string> {
    try {
      return await verify(context, token)
    } catch (error) {
      throw error instanceof MCPError ? error : refuse('unreadable', error)
    }
  }

  async function verify(context: RequestStateContext, token: unknown): Promise<string> {
    const claims = await open(token)
    const binding = await bindingOf(context, audience)
    if (binding === undefined) throw refuse('target')
    const principal = await identify(context.principal)
    const fault = await findFault(claims, binding, principal, Date.now())
    if (fault !== undefined) throw refuse(fault)
    await spend(claims)
    return claims.state
  }

  async function open(token: unknown): Promise<Claims> {
    if (typeof token !== 'string') throw refuse('malformed')
    const opened = await cipher.decrypt(token)
    if (!opened.ok) throw refuse(opened.fault)
    const claims = parseClaims(opened.text)
    if (claims === undefined) throw refuse('malformed')
    return claims
  }

  /** Fails closed: a caller that cannot be told from another gets nobody's state. */
  async function identify(auth: AuthInfo | undefined): Promise<string | undefined> {
    try {
      return await principalOf(auth)
    } catch (error) {
      throw refuse('principal-unknown', error)
    }
  }

  async function spend({ id, expiresAt }: Claims): Promise<void> {
    if (redeem === undefined) return
    try {
      if ((await redeem(id, expiresAt)) === true) return
    } catch (error) {
      throw refuse('redeemed', error)
    }
    throw refuse('redeemed')
  }

  function refuse(reason: RequestStateFault, cause?: unknown): MCPError {
    try {
      onRefused?.(reason, cause)
    } catch {
      // Who listens for refusals must not change what the peer sees of them.
    }
    return new MCPError(ErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
  }

  return { seal, unseal }
}

function principalOfToken(auth: AuthInfo | undefined): string | undefined {
  if (auth === undefined) return undefined
  return JSON.stringify([auth.clientId, auth.issuer ?? null, auth.subject ?? null])
}
