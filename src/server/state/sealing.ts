// Seals and opens a requestState: what a token claims, and whether the claims hold. Loaded with the first state.

import { callBack } from '../../primitives/async/call-back.ts'
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { requestFacts } from '../../wire/method-rows.ts'
import { createCipher } from './cipher.ts'
import type { RequestStateContext, RequestStateFault, RequestStateOptions, RequestStateSeal } from './request-state.ts'
import { loadStateCrypto } from './state-crypto.ts'

const VERSION = 1

/** Clocks of two servers that share a key may differ by this much. */
const MAX_CLOCK_SKEW_MS = 60_000

/** What a state is bound to. */
export interface Binding {
  readonly method: string
  /** The name or uri that was called for. */
  readonly target: string
  /** A digest of all that makes it the same call. */
  readonly call: string
  readonly audience: string
}

/** All that is sealed. */
export interface Claims extends Binding {
  readonly version: typeof VERSION
  /** Unique, so that `redeem` can accept each state once. */
  readonly id: string
  readonly issuedAt: number
  readonly expiresAt: number
  /** A digest of the caller, salted with the id; absent for a caller that nobody has verified. */
  readonly principal?: string
  readonly state: string
}

/** Which of the claims does not hold. */
export type ClaimFault =
  | 'version'
  | 'issued-ahead'
  | 'expired'
  | 'method'
  | 'target'
  | 'arguments'
  | 'audience'
  | 'principal'

interface Call {
  readonly method: string
  readonly params: JSONObject | undefined
}

/** What a call's state is bound to; `undefined` when it is no call that may ask for input. */
export function bindingOf({ method, params }: Call, audience: string): MaybePromise<Binding | undefined> {
  const { mayAskForInput, nameParam } = requestFacts(method) ?? {}
  if (mayAskForInput !== true || nameParam === undefined) return undefined
  const target = ownMember(params, nameParam)
  if (typeof target !== 'string') return undefined
  // Member by member, so that params of later revisions do not change the digest.
  const salient = nameParam === 'uri' ? { uri: target } : { name: target, arguments: ownMember(params, 'arguments') }
  return whenDone(digest(canonicalJSON(salient)), (call) => ({ method, target, call, audience }))
}

export async function createClaims(
  { method, target, call, audience }: Binding,
  principal: string | undefined,
  state: string,
  { now, ttlMs }: { now: number; ttlMs: number },
): Promise<Claims> {
  const id = crypto.randomUUID()
  const expiresAt = now + ttlMs
  const bound = { version: VERSION, id, issuedAt: now, expiresAt, method, target, call, audience, state } as const
  return principal === undefined ? bound : { ...bound, principal: await principalDigest(principal, id) }
}

/** The first claim that does not hold for this call by this caller; `undefined` when all do. */
export async function findFault(
  claims: Claims,
  binding: Binding,
  principal: string | undefined,
  now: number,
): Promise<ClaimFault | undefined> {
  if (claims.version !== VERSION) return 'version'
  // A comparison with NaN is false, so these test for what must be true.
  if (!(claims.issuedAt <= now + MAX_CLOCK_SKEW_MS)) return 'issued-ahead'
  if (!(now < claims.expiresAt)) return 'expired'
  if (claims.audience !== binding.audience) return 'audience'
  if (claims.method !== binding.method) return 'method'
  if (claims.target !== binding.target) return 'target'
  if (claims.call !== binding.call) return 'arguments'
  // Both ways: neither may an unknown caller use a known one's state, nor the reverse.
  const expected = principal === undefined ? undefined : await principalDigest(principal, claims.id)
  return claims.principal === expected ? undefined : 'principal'
}

/** `undefined` when the text holds no claims. Their meaning is for `findFault`. */
export function parseClaims(text: string): Claims | undefined {
  const claims = parse(text)
  if (!isPlainObject(claims)) return undefined
  const { id, state, issuedAt, expiresAt } = claims
  if (typeof id !== 'string' || typeof state !== 'string') return undefined
  if (typeof issuedAt !== 'number' || typeof expiresAt !== 'number') return undefined
  return claims as unknown as Claims
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function principalDigest(principal: string, salt: string): MaybePromise<string> {
  return digest(JSON.stringify([salt, principal]))
}

function digest(text: string): MaybePromise<string> {
  return whenDone(loadStateCrypto(), (crypto) => crypto.digest(text))
}

/** JSON whose members have one fixed order. `JSON.stringify` writes a lone surrogate as an escape, so none is lost. */
export function canonicalJSON(value: unknown): string {
  return JSON.stringify(inOrder(value))
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isPlainObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]))
}

/** Expects options that were checked. */
export function createSealing(options: RequestStateOptions & { ttlMs: number; refreshMs: number }): RequestStateSeal {
  const { audience, ttlMs, principalOf = principalOfToken, redeem, onRefused } = options
  const cipher = createCipher(options.keys, options.refreshMs)

  async function seal(context: RequestStateContext, state: string): Promise<string> {
    if (typeof state !== 'string') throw typeError('wrong-argument', 'requestState must be a string')
    const bound = bindingOf(context, audience)
    const binding = isThenable(bound) ? await bound : bound
    if (binding === undefined)
      throw rangeError('wrong-argument', 'Only a call that may ask for input can have a requestState')
    const identity = principalOf(context.principal)
    const principal = isThenable(identity) ? await identity : identity
    const claims = await createClaims(binding, principal, state, { now: Date.now(), ttlMs })
    return cipher.encrypt(JSON.stringify(claims))
  }

  async function unseal(context: RequestStateContext, token: unknown): Promise<string> {
    try {
      return await verify(context, token)
    } catch (error) {
      throw error instanceof MCPError ? error : stateRejected('unreadable', error)
    }
  }

  async function verify(context: RequestStateContext, token: unknown): Promise<string> {
    const claims = await open(token)
    const bound = bindingOf(context, audience)
    const binding = isThenable(bound) ? await bound : bound
    if (binding === undefined) throw stateRejected('target')
    const principal = await identify(context.principal)
    const fault = await findFault(claims, binding, principal, Date.now())
    if (fault !== undefined) throw stateRejected(fault)
    await redeemOnce(claims)
    return claims.state
  }

  async function open(token: unknown): Promise<Claims> {
    if (typeof token !== 'string') throw stateRejected('malformed')
    const opened = await cipher.decrypt(token)
    if (!opened.ok) throw stateRejected(opened.fault)
    const claims = parseClaims(opened.text)
    if (claims === undefined) throw stateRejected('malformed')
    return claims
  }

  /** Fails closed: without an identity, no state is opened. */
  async function identify(auth: AuthInfo | undefined): Promise<string | undefined> {
    try {
      return await principalOf(auth)
    } catch (error) {
      throw stateRejected('principal-unknown', error)
    }
  }

  async function redeemOnce({ id, expiresAt }: Claims): Promise<void> {
    if (redeem === undefined) return
    try {
      if ((await redeem(id, expiresAt)) === true) return
    } catch (error) {
      // Ours says that the engine is away: the state may be good.
      throw error instanceof MCPError ? error : stateRejected('redeemed', error)
    }
    throw stateRejected('redeemed')
  }

  function stateRejected(reason: RequestStateFault, cause?: unknown): MCPError {
    // A listener that fails must not change what the client gets.
    if (onRefused !== undefined)
      callBack(
        (why) => onRefused(why, cause),
        reason,
        () => {},
      )
    return new MCPError(ErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
  }

  return { seal, unseal }
}

function principalOfToken(auth: AuthInfo | undefined): string | undefined {
  if (auth === undefined) return undefined
  return JSON.stringify([auth.clientId, auth.issuer ?? null, auth.subject ?? null])
}
