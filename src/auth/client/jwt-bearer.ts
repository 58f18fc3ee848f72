// The JWT bearer grant (RFC 7523): exchanges an assertion of another party for tokens.
import type { ClientAuth } from 'oauth4webapi'
import { OAuthError } from '../../types/errors/failures.ts'
import { withinDeadline } from './network/deadline.ts'
import { oauthFailure } from './network/failure.ts'
import { type GrantContext, type Granted, scopeParameter } from './tokens/grant.ts'
import { requestToken, toTokenSet } from './tokens/tokens.ts'

/** The client that sends an assertion, and how it authenticates. */
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
    scope: scopeParameter(scopes),
  })
  return { tokens: toTokenSet(answer, request, scopes), clientId }
}

/** What an assertion is requested for. */
export interface AssertionRequest {
  /** The issuer of the authorization server that will read it. */
  readonly audience: string
  /** The MCP server that the token is for. */
  readonly resource: string
  /** The scopes that the token should grant. */
  readonly scopes: readonly string[]
  /** Aborts when the login is given up. */
  readonly signal: AbortSignal
}

/** An assertion, or a function that returns a fresh one. */
export type AssertionSource = string | ((request: AssertionRequest) => string | Promise<string>)

const ASSERTION_TIMEOUT_MS = 60_000

/** The assertion, read when it is needed. Error messages contain neither the assertion nor the function's error. */
export async function readAssertion(source: AssertionSource, request: AssertionRequest): Promise<string> {
  let assertion: unknown
  try {
    assertion =
      typeof source === 'string'
        ? source
        : await withinDeadline(request.signal, ASSERTION_TIMEOUT_MS, assertionTimeout, async (signal) =>
            source({ ...request, signal }),
          )
  } catch (error) {
    if (error instanceof OAuthError) throw error
    throw oauthFailure('token', 'assertion_unavailable', 'The assertion function failed; see the cause', error)
  }
  if (typeof assertion === 'string' && /^[\w-]+(?:\.[\w-]*){2,4}$/.test(assertion)) return assertion
  throw oauthFailure('token', 'assertion_unavailable', 'The assertion is not a JWT')
}

function assertionTimeout(): OAuthError {
  return oauthFailure('token', 'timeout', `The assertion function returned nothing within ${ASSERTION_TIMEOUT_MS} ms`)
}
