// What stands between a token and a caller: the interface of every verifier, ours and users' own.
import { OAuthError } from '../../types/errors/failures.ts'

/** What a verifier found out about a token. Whether that is enough is decided by whoever asked. */
export interface VerifiedToken {
  /** The client that the token was issued to. */
  clientId: string
  scopes: readonly string[]
  /** For whom the token was issued: its audience. A token that names nobody is refused. */
  resource: string | readonly string[]
  /** Left out, the verifier vouches for the one issuer that was configured. */
  issuer?: string
  /** The user on whose behalf the client calls, where there is one. */
  subject?: string
  /** Seconds since 1970. */
  expiresAt?: number
  /** What the token must be proven with (RFC 7800), as in `{ jkt }` for a token bound by DPoP. */
  confirmation?: Readonly<Record<string, unknown>>
  /** Further claims, for handlers to read. */
  claims?: Readonly<Record<string, unknown>>
}

/** What a token is expected to be. It comes from the configuration, never from the token. */
export interface VerifyContext {
  /** The canonical URL of this server. */
  readonly resource: string
  /** Accepted audiences: the resource, unless the configuration names others. */
  readonly audiences: readonly string[]
  readonly issuers: readonly string[]
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
}

/**
 * Resolves to what the token says, or to `undefined` for one that is not valid; an `OAuthError` with the code
 * `invalid_token` does the same and gives a reason to the log. Any other error means that the token could not be checked.
 */
export type VerifyToken = (token: string, context: VerifyContext) => Promise<VerifiedToken | undefined>

export interface TokenVerifier {
  readonly verify: VerifyToken
}

/** The refusal of a token. The reason is for logs: no caller reads it. */
export function invalidToken(reason: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_token', reason, cause === undefined ? undefined : { cause })
}
