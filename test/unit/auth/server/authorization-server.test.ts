import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { VerifyContext } from '../../../../src/auth/server/verifier.ts'
import { introspectionVerifier } from '../../../../src/auth/server/verify-introspection.ts'
import { jwtVerifier } from '../../../../src/auth/server/verify-jwt.ts'
import { startAuthorizationServer, type TestAuthorizationServer } from '../../../support/authorization-server.ts'
import { obtainToken } from '../../../support/obtain-token.ts'

const JWT_RESOURCE = 'https://notes.example/mcp'
const OPAQUE_RESOURCE = 'https://opaque.example/mcp'
const DOCUMENT_URL = 'https://app.example/client.json'

let server: TestAuthorizationServer

beforeAll(async () => {
  server = await startAuthorizationServer({
    resources: {
      [JWT_RESOURCE]: { scopes: ['notes:read', 'notes:write'] },
      [OPAQUE_RESOURCE]: { scopes: ['notes:read'], format: 'opaque' },
    },
    documents: {
      [DOCUMENT_URL]: {
        client_id: DOCUMENT_URL,
        client_name: 'App',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    },
  })
})

afterAll(() => server.close())

const contextFor = (resource: string): VerifyContext => ({
  resource,
  audiences: [resource],
  issuers: [server.issuer],
  signal: new AbortController().signal,
})

const refused = expect.objectContaining({ code: 'invalid_token' })

describe('tokens of a real authorization server', () => {
  it('are verified with keys that its metadata names', async () => {
    const { verify } = jwtVerifier({ issuer: server.issuer })
    const { access_token } = await obtainToken(server, { resource: JWT_RESOURCE, scope: 'notes:read' })
    await expect(verify(access_token, contextFor(JWT_RESOURCE))).resolves.toMatchObject({
      issuer: server.issuer,
      resource: JWT_RESOURCE,
      subject: 'ada',
      scopes: ['notes:read'],
    })
    await expect(verify(access_token, contextFor(OPAQUE_RESOURCE))).rejects.toEqual(refused)
  })

  it('are verified for a client that is known by its metadata document', async () => {
    const { verify } = jwtVerifier({ issuer: server.issuer, jwksUri: server.jwksUri })
    const request = { resource: JWT_RESOURCE, scope: 'notes:read', clientId: DOCUMENT_URL }
    const { access_token } = await obtainToken(server, request)
    await expect(verify(access_token, contextFor(JWT_RESOURCE))).resolves.toMatchObject({ clientId: DOCUMENT_URL })
  })

  it('R14 are introspected when opaque, audience included', async () => {
    const { issuer, introspectionEndpoint: endpoint, resourceServer } = server
    const { verify } = introspectionVerifier({ issuer, endpoint, ...resourceServer })
    const { access_token } = await obtainToken(server, { resource: OPAQUE_RESOURCE, scope: 'notes:read' })
    expect(access_token).not.toContain('.')
    await expect(verify(access_token, contextFor(OPAQUE_RESOURCE))).resolves.toMatchObject({
      resource: OPAQUE_RESOURCE,
      subject: 'ada',
      scopes: ['notes:read'],
    })
    await expect(verify(access_token, contextFor(JWT_RESOURCE))).rejects.toEqual(refused)
    await expect(verify('unknown', contextFor(OPAQUE_RESOURCE))).resolves.toBeUndefined()
  })
})
