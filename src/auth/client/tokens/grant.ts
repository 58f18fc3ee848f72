// The interface of all grants: what a grant gets, and what it returns.

import { typeError } from '../../../primitives/help.ts'
import type { Discovery } from '../login/discovery.ts'
import type { ClientIdentity } from '../login/registration.ts'
import type { AuthorizationServerMetadata } from '../login/server-metadata.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import type { DpopKey } from './dpop.ts'
import type { Records } from './token-store.ts'
import type { TokenSet } from './tokens.ts'

/** The value of `issuer` that trusts the first authorization server that the resource names, and no other after it. */
export const DISCOVERED = 'discovered'

export interface GrantContext {
  readonly http: GuardedFetch
  readonly discovery: Discovery
  /** The `resource` parameter; `undefined` if the option `resourceParameter` is `false`. */
  readonly resource: string | undefined
  /** The scopes to request; empty to leave the parameter out. */
  readonly scopes: readonly string[]
  readonly dpop: DpopKey | undefined
  readonly records: Records
  readonly signal: AbortSignal
  /** Runs what the user has to do. Meanwhile the timeouts of waiting requests are stopped. */
  whileUserActs<T>(act: () => Promise<T>): Promise<T>
}

export interface Granted {
  readonly tokens: TokenSet
  readonly clientId: string
}

/** A way to get tokens. */
export interface Grant {
  /** Whether it needs the user, who must not have to log in repeatedly. */
  readonly isInteractive: boolean
  /** The only authorization server that may get the credentials, or `DISCOVERED`; `undefined` if there are none to leak. */
  readonly issuer: string | undefined
  /** Further URLs from the user's options, which may therefore be in a private network. */
  readonly namedUrls?: readonly string[]
  obtain(context: GrantContext): Promise<Granted>
  /** The identity that refreshes tokens of `clientId`; absent if the grant gets new tokens instead. */
  identify?(
    server: AuthorizationServerMetadata,
    records: Records,
    clientId: string,
  ): Promise<ClientIdentity | undefined>
}

/** The `scope` parameter. */
export function scopeParameter(scopes: readonly string[]): string | undefined {
  return scopes.length === 0 ? undefined : scopes.join(' ')
}

/** Throws `TypeError` if credentials have no issuer, so that they are never sent to the wrong server. */
export function assertIssuer(issuer: unknown, what: string): void {
  if (issuer === DISCOVERED || (typeof issuer === 'string' && URL.canParse(issuer))) return
  throw typeError(
    'wrong-option',
    `${what}: set issuer to the authorization server of the credentials, so that they are sent to no other. ` +
      `'${DISCOVERED}' trusts the first one that the MCP server names`,
  )
}
