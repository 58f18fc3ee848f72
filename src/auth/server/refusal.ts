// Why a request is turned away, inside the guard: what the caller may read of it hangs on the kind alone.
import { OAuthError } from '../../types/errors/failures.ts'

/** `missing`: no token came. `unavailable`: a token came, and nobody could say whether it is good. */
export type RefusalKind = 'missing' | 'malformed' | 'token' | 'proof' | 'nonce' | 'scope' | 'unavailable'

/** The reason is for `onRefused` and never leaves the server. */
export class Refused extends Error {
  readonly kind: RefusalKind

  constructor(kind: RefusalKind, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.kind = kind
  }
}

/** What a verifier threw: only one code means that the token is bad, everything else that it could not be checked. */
export function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error
  const reason = error instanceof Error ? error.message : 'the verifier threw something that is no error'
  const isBadToken = error instanceof OAuthError && error.code === 'invalid_token'
  return new Refused(isBadToken ? 'token' : 'unavailable', reason, { cause: error })
}
