// The WWW-Authenticate header: how a client learns what it lacks and where to get it (RFC 6750, 9449, 9728).
import type { BearerSettings } from './bearer-options.ts'
import type { RefusalKind } from './refusal.ts'
import { joinScopes } from './scopes.ts'

export interface ErrorWords {
  readonly error: string
  readonly description: string
}

/** All that a caller reads of a refusal. RFC 6750, section 3.1: who sent no token is told of no error. */
export const ERROR_WORDS: Readonly<Partial<Record<RefusalKind, ErrorWords>>> = {
  malformed: { error: 'invalid_request', description: 'The request does not carry its token the way RFC 6750 asks' },
  token: { error: 'invalid_token', description: 'The access token is invalid, expired or not for this resource' },
  proof: { error: 'invalid_dpop_proof', description: 'The DPoP proof does not fit the request, its token or the time' },
  nonce: { error: 'use_dpop_nonce', description: 'The DPoP proof needs the nonce that this answer brings' },
  scope: { error: 'insufficient_scope', description: 'The request needs scopes that the token does not grant' },
  unavailable: { error: 'temporarily_unavailable', description: 'The access token cannot be checked at the moment' },
}

/** The value of the header, asking for `scopes` beyond those that every request needs. */
export type Challenge = (kind: RefusalKind, scopes?: readonly string[]) => string

export function createChallenge({ scopes, proofs }: BearerSettings, metadataUrl: string): Challenge {
  return (kind, more = []) => {
    // All that the operation needs at once, so that one more login is enough.
    const where = { resource_metadata: metadataUrl, scope: joinScopes([...scopes, ...more]) }
    const words = ERROR_WORDS[kind]
    const what = words === undefined ? where : { error: words.error, error_description: words.description, ...where }
    if (proofs === undefined) return challenge('Bearer', what)
    const dpop = challenge('DPoP', { ...what, algs: proofs.algorithms.join(' ') })
    const isAboutProof = kind === 'proof' || kind === 'nonce'
    return proofs.isRequired || isAboutProof ? dpop : `${challenge('Bearer', what)}, ${dpop}`
  }
}

/** Values hold no quote and no backslash: they are ours, a URL, or scopes, whose grammar has neither. */
function challenge(scheme: 'Bearer' | 'DPoP', parameters: Readonly<Record<string, string>>): string {
  const texts = Object.entries(parameters)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}="${value}"`)
  return `${scheme} ${texts.join(', ')}`
}
