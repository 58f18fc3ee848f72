// Clients without a user at the screen: credentials, private keys, workload identities, the company's identity provider.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import { clientCredentials, enterpriseManaged, privateKeyJwt, workloadIdentity } from 'mcpwire/auth'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { json, ScriptedOAuth } from '../../../support/scripted-oauth.ts'
import { createCaller } from './login-support.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ3In0.c2ln'
const IDP_ROUTE = 'POST https://idp.example.com/token'

function machineServer(): ScriptedOAuth {
  const as = new ScriptedOAuth()
  as.serverMetadata['token_endpoint_auth_methods_supported'] = ['client_secret_basic', 'private_key_jwt', 'none']
  as.givesRefreshTokens = false
  return as
}

afterEach(() => {
  vi.useRealTimers()
})

describe('client credentials', () => {
  it('C-XA-02 C-XA-01 with a secret', async () => {
    const as = machineServer()
    as.requiredScopes = ['read']
    const provider = clientCredentials({ clientId: 'mine', clientSecret: 's3cret', issuer: as.issuer })
    expect((await createCaller(as, provider).call()).status).toBe(200)
    const { form, headers } = as.sent('/token')[0]!
    expect(Object.fromEntries(form)).toEqual({ grant_type: 'client_credentials', resource: as.resource, scope: 'read' })
    expect(headers['authorization']).toBe(`Basic ${btoa('mine:s3cret')}`)
  })

  it.each([
    ['issuer', 'https://as.example.com'],
    ['token-endpoint', 'https://as.example.com/token'],
  ] as const)('C-XA-01 with an assertion for the %s', async (audience, expected) => {
    const as = machineServer()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const key = privateKeyJwt({ key: pem, algorithm: 'ES256', keyId: 'k1', audience })
    await createCaller(as, clientCredentials({ clientId: 'mine', privateKey: key, issuer: as.issuer })).call()
    const { form } = as.sent('/token')[0]!
    const { payload, protectedHeader } = await jwtVerify(form.get('client_assertion')!, createPublicKey(privateKey))
    expect(payload).toMatchObject({ iss: 'mine', sub: 'mine', aud: expected, jti: expect.any(String) })
    expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'k1' })
  })

  it('an unreadable key is an error that does not quote it', async () => {
    const as = machineServer()
    const key = privateKeyJwt({
      key: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----',
      algorithm: 'ES256',
    })
    const provider = clientCredentials({ clientId: 'mine', privateKey: key, issuer: as.issuer })
    await expect(createCaller(as, provider).call()).rejects.toMatchObject({
      code: 'invalid_client',
      message: expect.not.stringContaining('c2VjcmV0'),
    })
  })

  it('an expired token is replaced by asking again, before the request', async () => {
    const as = machineServer()
    const { call } = createCaller(as, clientCredentials({ clientId: 'mine', clientSecret: 's', issuer: as.issuer }))
    await call()
    as.revokeAccess()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3600_000 })
    as.requests.length = 0
    expect((await call()).status).toBe(200)
    expect(as.requests.map(({ url }) => url.pathname)).toEqual(['/token', '/mcp'])
  })

  it('F167 a server that rejects every token ends in an error', async () => {
    const as = machineServer()
    as.routes.set('POST https://mcp.example.com/mcp', () => ({ status: 401 }))
    const { call } = createCaller(as, clientCredentials({ clientId: 'mine', clientSecret: 's', issuer: as.issuer }))
    for (let count = 0; count < 5; count++) await expect(call()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(as.sent('/token').length).toBeLessThanOrEqual(2)
  })
})

describe('workload identity', () => {
  it('C-XA-06 exchanges the JWT of the platform, with no client id', async () => {
    const as = machineServer()
    expect((await createCaller(as, workloadIdentity({ assertion: JWT, issuer: as.issuer })).call()).status).toBe(200)
    expect(Object.fromEntries(as.sent('/token')[0]!.form)).toEqual({
      grant_type: JWT_BEARER,
      assertion: JWT,
      resource: as.resource,
    })
  })

  it('C-XA-06 a rejected JWT is not sent again; a new one is', async () => {
    const as = machineServer()
    as.routes.set('POST https://as.example.com/token', () => json(400, { error: 'invalid_grant' }))
    let assertion = JWT
    const provider = workloadIdentity({ assertion: () => assertion, issuer: as.issuer })
    const { call } = createCaller(as, provider)
    for (let count = 0; count < 3; count++) await expect(call()).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(as.sent('/token')).toHaveLength(1)
    as.routes.clear()
    assertion = `${JWT}x`
    expect((await call()).status).toBe(200)
  })

  it('a missing or malformed assertion has its own error code', async () => {
    const as = machineServer()
    for (const assertion of ['not a jwt', () => Promise.reject(new Error('no file'))]) {
      const provider = workloadIdentity({ assertion, issuer: as.issuer })
      await expect(createCaller(as, provider).call()).rejects.toMatchObject({ code: 'assertion_unavailable' })
    }
    expect(as.sent('/token')).toHaveLength(0)
  })
})

describe('enterprise-managed authorization', () => {
  const idp = { tokenEndpoint: 'https://idp.example.com/token', clientId: 'at-idp', idToken: JWT }

  it('C-XA-03 C-XA-04 exchanges the ID token at the identity provider, and what that gives at the authorization server', async () => {
    const as = machineServer()
    as.routes.set(IDP_ROUTE, () =>
      json(200, { issued_token_type: ID_JAG, access_token: 'a.b.jag', token_type: 'N_A', expires_in: 300 }),
    )
    const provider = enterpriseManaged({ clientId: 'mine', clientSecret: 's3cret', issuer: as.issuer, idp })
    expect((await createCaller(as, provider).call()).status).toBe(200)
    const [exchange, grant] = as.sent('/token')
    expect(Object.fromEntries(exchange!.form)).toMatchObject({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: ID_JAG,
      audience: as.issuer,
      resource: as.resource,
      subject_token: JWT,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      client_id: 'at-idp',
    })
    expect(Object.fromEntries(grant!.form)).toMatchObject({ grant_type: JWT_BEARER, assertion: 'a.b.jag' })
    expect(grant!.headers['authorization']).toBe(`Basic ${btoa('mine:s3cret')}`)
    expect(as.authorizations).toHaveLength(0)
  })

  it('stops where the identity provider gives something else', async () => {
    const as = machineServer()
    as.routes.set(IDP_ROUTE, () => json(200, { access_token: 'plain', token_type: 'Bearer' }))
    const provider = enterpriseManaged({ clientId: 'mine', clientSecret: 's3cret', issuer: as.issuer, idp })
    await expect(createCaller(as, provider).call()).rejects.toMatchObject({ code: 'invalid_token_response' })
    expect(as.sent('as.example.com/token')).toHaveLength(0)
  })

  it('accepts an assertion function, which gets audience, resource and scopes', async () => {
    const as = machineServer()
    const asked: unknown[] = []
    const assertion = (request: object) => {
      asked.push(request)
      return JWT
    }
    const provider = enterpriseManaged({ clientId: 'mine', clientSecret: 's3cret', issuer: as.issuer, assertion })
    expect((await createCaller(as, provider).call()).status).toBe(200)
    expect(asked).toMatchObject([{ audience: as.issuer, resource: as.resource, scopes: [] }])
  })
})
