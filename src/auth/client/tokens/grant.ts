// What every way to get tokens has in common: with what it works, and what it gives.

import type { Discovery } from '../login/discovery.ts'
import type { ClientIdentity } from '../login/registration.ts'
import type { AuthorizationServerMetadata } from '../login/server-metadata.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import type { DpopKey } from './dpop.ts'
import type { Records } from './token-store.ts'
import type { TokenSet } from './tokens.ts'

/** The value of `issuer` that trusts the authorization server which the resource names first, and no other after it. */
export const DISCOVERED = 'discovered'

export interface GrantContext {
  readonly http: GuardedFetch
  readonly discovery: Discovery
  /** The `resource` parameter; `undefined` where the user's authorization server does not take one. */
  readonly resource: string | undefined
  /** To ask for; empty to leave the parameter out. */
  readonly scopes: readonly string[]
  readonly dpop: DpopKey | undefined
  readonly records: Records
  readonly signal: AbortSignal
  /** Runs what a person has to do, who is given time for it. */
  whilePersonActs<T>(act: () => Promise<T>): Promise<T>
}

export interface Granted {
  readonly tokens: TokenSet
  readonly clientId: string
}

/** One way to get tokens. */
export interface Grant {
  /** Whether a person has to take part, who must not be asked again and again. */
  readonly isInteractive: boolean
  /** The only authorization server that may see the credentials, or `DISCOVERED`; `undefined` where none could leak. */
  readonly issuer: string | undefined
  /** Further places that the user named, and that may therefore be in a private network. */
  readonly namedUrls?: readonly string[]
  obtain(context: GrantContext): Promise<Granted>
  /** Who refreshes tokens that were issued to `clientId`; absent where tokens are asked for anew. */
  identify?(
    server: AuthorizationServerMetadata,
    records: Records,
    clientId: string,
  ): Promise<ClientIdentity | undefined>
}

/** The `scope` parameter. */
export function scopeText(scopes: readonly string[]): string | undefined {
  return scopes.length === 0 ? undefined : scopes.join(' ')
}

/** Secrets must know where they belong: throws `TypeError` where nothing was said about that. */
export function assertIssuer(issuer: unknown, what: string): void {
  if (issuer === DISCOVERED || (typeof issuer === 'string' && URL.canParse(issuer))) return
  throw new TypeError(
    `${what}: pass issuer, the authorization server that the credentials belong to, so that they are sent nowhere else; ` +
      `'${DISCOVERED}' trusts whichever the MCP server names first`,
  )
}
