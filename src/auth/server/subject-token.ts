// The token of a verified caller, for servers that exchange it. It is in no object that could be logged, stored or sent.
import type { AuthInfo } from '../../types/protocol/auth.ts'

const tokens = new WeakMap<AuthInfo, string>()

export function keepSubjectToken(auth: AuthInfo, token: string): void {
  tokens.set(auth, token)
}

/**
 * The access token that a caller was verified by, for a token exchange (RFC 8693). `undefined` unless `requireBearer()` of this
 * process got `keepToken: true`, and for copies of the `AuthInfo`. Never send it to another server as it is.
 */
export function subjectTokenOf(auth: AuthInfo | undefined): string | undefined {
  return auth === undefined ? undefined : tokens.get(auth)
}
