// Which client we are, in which order that is found out, and that credentials stay with the server that gave them.
import { clientCredentials, memoryTokenStore, oauth, workloadIdentity } from 'mcpwire/auth'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { json, ScriptedOAuth } from '../../../../support/scripted-oauth.ts'
import { browsingProvider, createCaller, setUp } from '../login-support.ts'

const OTHER_ISSUER = 'https://evil.example.com'
const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ3In0.c2ln'

/** From now on the resource names another authorization server, which is well-behaved but not the one that we know. */
function switchServer(as: ScriptedOAuth): void {
  as.resourceMetadata['authorization_servers'] = [OTHER_ISSUER]
  const metadata = JSON.parse(JSON.stringify(as.serverMetadata).replaceAll(as.issuer, OTHER_ISSUER)) as Record<
    string,
    unknown
  >
  as.routes.set(`GET ${OTHER_ISSUER}/.well-known/oauth-authorization-server`, () => json(200, metadata))
  as.routes.set(`POST ${OTHER_ISSUER}/register`, ({ body }) =>
    json(201, { client_id: 'client-of-other', ...(JSON.parse(body) as object) }),
  )
  as.routes.set(`POST ${OTHER_ISSUER}/token`, (request) => as.issueTokens(request))
  as.callbackExtras = { iss: OTHER_ISSUER }
  as.revokeAccess()
}

/** Everything that the other authorization server was sent, as one text. */
function seenByOther(as: ScriptedOAuth): string {
  const seen = as.requests.filter(({ url }) => url.origin === OTHER_ISSUER)
  return seen.map(({ url, headers, body }) => `${url.href} ${JSON.stringify(headers)} ${body}`).join('\n')
}

afterEach(() => {
  vi.useRealTimers()
})

describe('registration', () => {
  it('C-REG-02 C-REG-05 C-REG-01 a configured client goes before a document, and a document before a registration', async () => {
    const document = 'https://app.example.com/client.json'
    const offer = (as: ScriptedOAuth) => (as.serverMetadata['client_id_metadata_document_supported'] = true)
    const configured = setUp(offer, { client: { id: 'mine' }, clientMetadataUrl: document })
    await configured.call()
    expect(configured.as.authorizations[0]!.searchParams.get('client_id')).toBe('mine')
    const described = setUp(offer, { clientMetadataUrl: document })
    await described.call()
    expect(described.as.authorizations[0]!.searchParams.get('client_id')).toBe(document)
    expect(described.as.sent('/register')).toHaveLength(0)
    const registered = setUp(undefined, { clientMetadataUrl: document })
    await registered.call()
    expect(registered.as.authorizations[0]!.searchParams.get('client_id')).toMatch(/^client-/)
  })

  it('names the missing ways to register', async () => {
    const { call } = setUp((as) => delete as.serverMetadata['registration_endpoint'])
    await expect(call()).rejects.toMatchObject({
      code: 'client_unknown',
      step: 'registration',
      message: expect.stringMatching(
        /no clientMetadataUrl is set.*does not support dynamic registration.*client: \{ id/,
      ),
    })
  })

  it('C-REG-07 explains why a registration was rejected', async () => {
    const { as, call } = setUp((as) => {
      as.routes.set('POST https://as.example.com/register', () =>
        json(400, { error: 'invalid_redirect_uri', error_description: 'loopback is not allowed' }),
      )
    })
    await expect(call()).rejects.toMatchObject({
      code: 'invalid_redirect_uri',
      step: 'registration',
      message: expect.stringContaining('loopback is not allowed'),
    })
    expect(as.authorizations).toHaveLength(0)
  })

  it.each<[string, object]>([
    ['no client_id', {}],
    ['a secret method without a secret', { client_id: 'x', token_endpoint_auth_method: 'client_secret_basic' }],
    ['a method that nobody knows', { client_id: 'x', token_endpoint_auth_method: 'magic' }],
  ])('refuses a registration with %s before anything is stored', async (_what, body) => {
    const store = memoryTokenStore()
    const { call } = setUp((as) => as.routes.set('POST https://as.example.com/register', () => json(201, body)), {
      store,
    })
    await expect(call()).rejects.toMatchObject({ code: 'registration_failed' })
    expect(store.get('client https://as.example.com')).toBeUndefined()
  })

  it.each([
    ['client_secret_basic', 'authorization'],
    ['client_secret_post', 'body'],
  ])('C-REG-11 proves itself by %s where the server takes that', async (method, place) => {
    const { as, call } = setUp((as) => {
      as.serverMetadata['token_endpoint_auth_methods_supported'] = [method]
      as.routes.set('POST https://as.example.com/register', () =>
        json(200, { client_id: 'a-b', client_secret: 'p:w ü' }),
      )
    })
    await call()
    const { headers, form } = as.sent('/token')[0]!
    if (place === 'body') expect(Object.fromEntries(form)).toMatchObject({ client_id: 'a-b', client_secret: 'p:w ü' })
    else expect(atob(headers['authorization']!.slice('Basic '.length))).toBe('a-b:p%3Aw+%C3%BC')
  })

  it('a registration is used again in the next run, at the address that it is for', async () => {
    const store = memoryTokenStore()
    const as = new ScriptedOAuth()
    const logInAnew = async (redirectUri: string) => {
      as.revokeAccess()
      as.refreshTokens.clear()
      await createCaller(as, browsingProvider(as, { store, redirectUri })).call()
    }
    await logInAnew('http://127.0.0.1:4711/callback')
    await logInAnew('http://127.0.0.1:4711/callback')
    expect(as.sent('/register')).toHaveLength(1)
    await logInAnew('http://127.0.0.1:4712/callback')
    expect(as.sent('/register')).toHaveLength(2)
  })

  it('a registration whose secret has expired is not used again', async () => {
    const { as, call } = setUp((as) => {
      const expiresAt = Math.floor(Date.now() / 1000) + 10
      as.serverMetadata['token_endpoint_auth_methods_supported'] = ['client_secret_post']
      as.routes.set('POST https://as.example.com/register', () =>
        json(201, { client_id: 'x', client_secret: 's', client_secret_expires_at: expiresAt }),
      )
      as.givesRefreshTokens = false
    })
    await call()
    as.revokeAccess()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    await call()
    expect(as.sent('/register')).toHaveLength(2)
  })

  it('a server that has forgotten the client gets a new registration', async () => {
    const { as, call } = setUp()
    await call()
    as.revokeAccess()
    as.routes.set('POST https://as.example.com/token', (request) =>
      request.form.get('grant_type') === 'refresh_token'
        ? json(401, { error: 'invalid_client' })
        : as.issueTokens(request),
    )
    expect((await call()).status).toBe(200)
    expect(as.sent('/register')).toHaveLength(2)
  })
})

describe('another authorization server', () => {
  it('C-REG-09 F177 R10 gets a registration of its own, and nothing that the first one gave', async () => {
    const { as, call } = setUp()
    await call()
    const [clientId] = as.clients.keys()
    const [refreshToken] = as.refreshTokens
    switchServer(as)
    expect((await call()).status).toBe(200)
    expect(seenByOther(as)).not.toContain(clientId)
    expect(seenByOther(as)).not.toContain(refreshToken)
  })

  it('F177 R10 does not see the refresh token of a client that both know by the same id', async () => {
    const { as, call } = setUp(undefined, { client: { id: 'mine' } })
    await call()
    const [refreshToken] = as.refreshTokens
    switchServer(as)
    expect((await call()).status).toBe(200)
    expect(seenByOther(as)).toContain('client_id=mine')
    expect(seenByOther(as)).not.toContain(refreshToken)
  })

  it('C-REG-08 F177 between two runs the tokens and registration of the first are not shown to it', async () => {
    const store = memoryTokenStore()
    const as = new ScriptedOAuth()
    await createCaller(as, browsingProvider(as, { store })).call()
    const [clientId] = as.clients.keys()
    switchServer(as)
    expect((await createCaller(as, browsingProvider(as, { store })).call()).status).toBe(200)
    expect(seenByOther(as)).not.toContain(clientId)
  })

  it('F177 an expired token is refreshed at its issuer, even if the resource names another now', async () => {
    const { as, call } = setUp()
    await call()
    const [refreshToken] = as.refreshTokens
    switchServer(as)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3600_000 })
    expect((await call()).status).toBe(200)
    expect(as.sent('as.example.com/token').at(-1)!.form.get('refresh_token')).toBe(refreshToken)
    expect(seenByOther(as)).toBe('')
  })

  it.each(['issuer of the client', 'discovered'])('C-REG-10 R10 never sees a configured secret (%s)', async (kind) => {
    const as = new ScriptedOAuth()
    as.serverMetadata['token_endpoint_auth_methods_supported'] = ['client_secret_basic']
    const issuer = kind === 'discovered' ? 'discovered' : as.issuer
    const caller = createCaller(as, browsingProvider(as, { client: { id: 'mine', secret: 's3cret', issuer } }))
    expect((await caller.call()).status).toBe(200)
    switchServer(as)
    await expect(caller.call()).rejects.toMatchObject({
      code: 'issuer_mismatch',
      message: expect.stringContaining('Configure'),
    })
    expect(seenByOther(as)).toBe('')
  })

  it('R10 never sees the credentials of machines', async () => {
    const as = new ScriptedOAuth()
    switchServer(as)
    const { issuer } = as
    for (const provider of [
      clientCredentials({ clientId: 'mine', clientSecret: 's3cret', issuer }),
      workloadIdentity({ assertion: JWT, issuer }),
    ]) {
      await expect(createCaller(as, provider).call()).rejects.toMatchObject({ code: 'issuer_mismatch' })
    }
    expect(seenByOther(as)).toBe('')
  })

  it('R10 without metadata of the resource the configured issuer still counts', async () => {
    const as = new ScriptedOAuth()
    for (const path of ['/mcp', '']) {
      as.routes.set(`GET https://mcp.example.com/.well-known/oauth-protected-resource${path}`, () => ({ status: 404 }))
    }
    const provider = clientCredentials({ clientId: 'mine', clientSecret: 's3cret', issuer: as.issuer })
    await expect(createCaller(as, provider).call()).rejects.toMatchObject({ code: 'issuer_mismatch' })
    expect(as.requests.some(({ headers }) => headers['authorization'] !== undefined)).toBe(false)
  })
})

describe('options that cannot work', () => {
  it.each<[string, () => unknown]>([
    ['a secret without its issuer', () => oauth({ client: { id: 'x', secret: 'y' } })],
    ['credentials without their issuer', () => clientCredentials({ clientId: 'x', clientSecret: 'y' } as never)],
    ['no credentials', () => clientCredentials({ clientId: 'x', issuer: 'https://as.example.com' })],
    ['an assertion without its issuer', () => workloadIdentity({ assertion: JWT } as never)],
    ['a callback without an address', () => oauth({ callback: async () => new URLSearchParams() })],
    ['a document over http', () => oauth({ clientMetadataUrl: 'http://app.example.com/client.json' })],
    ['a document without a path', () => oauth({ clientMetadataUrl: 'https://app.example.com/' })],
  ])('C-REG-03 %s throws at once', (_what, build) => {
    expect(build).toThrow(TypeError)
  })

  it('T6 a server over plain http gets no login', () => {
    const as = new ScriptedOAuth({ resource: 'http://mcp.example.com/mcp' })
    expect(() => createCaller(as, oauth())).toThrow(
      expect.objectContaining({ name: 'OAuthError', code: 'insecure_url' }),
    )
    expect(() => createCaller(as, oauth({ allowInsecureAuth: true }))).not.toThrow()
  })
})
