// How a state is sealed and opened, loaded by the first one that there is: most servers never have any.

import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import { createCipher } from './cipher.ts'
import { bindingOf, type Claims, createClaims, findFault, parseClaims } from './claims.ts'
import type { RequestStateContext, RequestStateFault, RequestStateOptions, RequestStateSeal } from './request-state.ts'

/** Expects options that were checked. */
export function createSealing(options: RequestStateOptions & { ttlMs: number }): RequestStateSeal {
  const { audience, ttlMs, principalOf = principalOfToken, redeem, onRefused } = options
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
