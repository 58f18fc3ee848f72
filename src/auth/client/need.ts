// Why tokens are needed that are not at hand, and whether some tokens would do.
import type { AccessChallenge } from './challenge.ts'
import type { TokenRecord } from './records.ts'

export interface Need {
  /** The access token that the server did not take, or that is about to expire. */
  readonly rejected: string | undefined
  readonly challenge: AccessChallenge | undefined
  /** Asked for by a challenge of `insufficient_scope`. */
  readonly moreScopes: readonly string[]
}

export function isMetBy(tokens: TokenRecord, need: Need): boolean {
  if (tokens.accessToken === need.rejected) return false
  return need.moreScopes.every((scope) => tokens.requestedScopes.includes(scope))
}
