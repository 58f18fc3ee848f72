// The JWT bearer grant (RFC 7523): an assertion that somebody else made, in exchange for tokens.
import type { ClientAuth } from 'oauth4webapi'
import { OAuthError } from '../../types/errors/failures.ts'
import { withinDeadline } from './network/deadline.ts'
import { fail } from './network/failure.ts'
import { type GrantContext, type Granted, scopeText } from './tokens/grant.ts'
import { requestToken, toTokenSet } from './tokens/tokens.ts'

/** Who asks, and how that is proved. */
export interface AssertingClient {
  readonly clientId: string
  readonly clientAuth: ClientAuth
  readonly secrets: readonly (string | undefined)[]
}

export async function redeemAssertion(
  { http, discovery, resource, scopes, dpop, signal }: GrantContext,
  { clientId, clientAuth, secrets }: AssertingClient,
  assertion: string,
): Promise<Granted> {
  const request = {
    step: 'token' as const,
    server: discovery.server,
    clientId,
    clientAuth,
    dpop: dpop?.handle,
    signal,
    secrets: [assertion, ...secrets],
  }
  const answer = await requestToken(http, request, 'urn:ietf:params:oauth:grant-type:jwt-bearer', {
    assertion,
    resource,
    scope: scopeText(scopes),
  })
  return { tokens: toTokenSet(answer, request, scopes), clientId }
}

/** What an assertion is for. */
export interface AssertionRequest {
  /** The issuer of the authorization server that will read it. */
  readonly audience: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly signal: AbortSignal
}

/** An assertion, or how to get a fresh one. */
export type AssertionSource = string | ((request: AssertionRequest) => string | Promise<string>)

const ASSERTION_TIMEOUT_MS = 60_000

/** An assertion of the user's, read when it is needed. Nothing of it, nor of why there is none, gets into a message. */
export async function readAssertion(source: AssertionSource, request: AssertionRequest): Promise<string> {
  let assertion: unknown
  try {
    assertion =
      typeof source === 'string'
        ? source
        : await withinDeadline(request.signal, ASSERTION_TIMEOUT_MS, overdue, async (signal) =>
            source({ ...request, signal }),
          )
  } catch (error) {
    if (error instanceof OAuthError) throw error
    throw fail('token', 'assertion_unavailable', 'No assertion could be had; see the cause', error)
  }
  if (typeof assertion === 'string' && /^[\w-]+(?:\.[\w-]*){2,4}$/.test(assertion)) return assertion
  throw fail('token', 'assertion_unavailable', 'The assertion is no JWT')
}

function overdue(): OAuthError {
  return fail('token', 'timeout', `No assertion came within ${ASSERTION_TIMEOUT_MS} ms`)
}
