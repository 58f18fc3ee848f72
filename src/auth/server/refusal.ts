// Why a request is refused. The response depends on the kind alone; the reason stays on the server.
import { OAuthError } from '../../types/errors/failures.ts'

/** `missing`: the request has no token. `unavailable`: its token could not be checked. */
export type RefusalKind = 'missing' | 'malformed' | 'token' | 'proof' | 'nonce' | 'scope' | 'unavailable'

/** A request that is refused. The message is for `onRefused` and never leaves the server. */
export class RefusedRequest extends Error {
  readonly kind: RefusalKind

  constructor(kind: RefusalKind, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.kind = kind
  }
}

/** The refusal for an error of a verifier: `invalid_token` is about the token, every other error means it was not checked. */
export function toRefusedRequest(error: unknown): RefusedRequest {
  if (error instanceof RefusedRequest) return error
  const reason = error instanceof Error ? error.message : 'the verifier threw a value that is not an Error'
  const isBadToken = error instanceof OAuthError && error.code === 'invalid_token'
  return new RefusedRequest(isBadToken ? 'token' : 'unavailable', reason, { cause: error })
}
