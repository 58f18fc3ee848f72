// The shortest way to an access token of the test authorization server: register, log in, redeem the code.
import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { TestAuthorizationServer } from './authorization-server.ts'

export interface TokenRequest {
  resource: string
  scope: string
  /** An id that the server knows already; registers a new client unless given. */
  clientId?: string
  redirectUri?: string
  headers?: Record<string, string>
}

export interface TokenAnswer {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token?: string
  scope?: string
}

export async function obtainToken(server: TestAuthorizationServer, request: TokenRequest): Promise<TokenAnswer> {
  const { resource, scope, redirectUri = 'http://127.0.0.1/callback', headers = {} } = request
  const clientId = request.clientId ?? (await register(server, redirectUri))
  const verifier = randomBytes(32).toString('base64url')
  const url = new URL(`${server.issuer}/auth`)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource,
    scope,
    state: 'state',
  }).toString()
  const callback = await server.login(url)
  expect(callback.searchParams.get('error_description') ?? '').toBe('')
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
    resource,
  })
  const response = await fetch(server.tokenEndpoint, { method: 'POST', body, headers })
  const answer = (await response.json()) as TokenAnswer
  expect(answer).toHaveProperty('access_token')
  return answer
}

async function register(server: TestAuthorizationServer, redirectUri: string): Promise<string> {
  const response = await fetch(`${server.issuer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      application_type: 'native',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  })
  const answer = (await response.json()) as { client_id: string }
  expect(answer).toHaveProperty('client_id')
  return answer.client_id
}
