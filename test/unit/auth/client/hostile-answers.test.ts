// Tokens that are none, stores that fail, and secrets that must not come to light anywhere.
import { inspect } from 'node:util'
import { clientCredentials, memoryTokenStore, OAuthError, type TokenStore } from 'mcpwire/auth'
import { describe, expect, it } from 'vitest'
import { json, ScriptedOAuth } from '../../../support/scripted-oauth.ts'
import { browsingProvider, createCaller, setUp } from './login-support.ts'

const TOKEN_ROUTE = 'POST https://as.example.com/token'

describe('answers of the token endpoint', () => {
  it.each<[string, object]>([
    ['a line break in the token', { access_token: 'a\r\nx-evil: 1', token_type: 'Bearer' }],
    ['another alphabet in the token', { access_token: 'tökén', token_type: 'Bearer' }],
    ['a token of a megabyte', { access_token: 'x'.repeat(1_000_000), token_type: 'Bearer' }],
    ['token_type mac', { access_token: 'x', token_type: 'mac' }],
    ['token_type dpop that nobody asked for', { access_token: 'x', token_type: 'DPoP' }],
    ['token_type N_A', { access_token: 'x', token_type: 'N_A' }],
    ['no token_type', { access_token: 'x' }],
    ['no token', { token_type: 'Bearer' }],
    ['a token that is no text', { access_token: 7, token_type: 'Bearer' }],
  ])('F183 %s is refused', async (_what, body) => {
    const { as, call } = setUp((as) => as.routes.set(TOKEN_ROUTE, () => json(200, body)))
    await expect(call()).rejects.toMatchObject({ name: 'OAuthError', code: 'invalid_token_response', step: 'token' })
    expect(as.calls.some(({ headers }) => headers['authorization'] !== undefined)).toBe(false)
  })

  it('an error response keeps the code of the RFC', async () => {
    const { call } = setUp((as) => as.routes.set(TOKEN_ROUTE, () => json(400, { error: 'invalid_target' })))
    await expect(call()).rejects.toMatchObject({ code: 'invalid_target', step: 'token' })
  })

  it('an error with status 200, as GitHub sends it, is the error that it names', async () => {
    const body = { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }
    const { call } = setUp((as) => as.routes.set(TOKEN_ROUTE, () => json(200, body)))
    await expect(call()).rejects.toMatchObject({ code: 'bad_verification_code', step: 'token' })
    await expect(call()).rejects.toThrow(/incorrect or expired/)
  })

  it('so is one of the registration endpoint', async () => {
    const body = { error: 'invalid_client_metadata', error_description: 'No redirect URI' }
    const { call } = setUp((as) => as.routes.set(`POST ${as.issuer}/register`, () => json(200, body)))
    await expect(call()).rejects.toMatchObject({ code: 'invalid_client_metadata', step: 'registration' })
  })

  it('members that servers leave empty count as absent', async () => {
    const body = {
      access_token: 'x',
      token_type: 'bearer',
      refresh_token: null,
      scope: '',
      expires_in: null,
      id_token: 'junk',
    }
    const { as, call } = setUp((as) => {
      as.accessTokens.set('x', [])
      as.routes.set(TOKEN_ROUTE, () => json(200, body))
    })
    expect((await call()).status).toBe(200)
    expect(as.authorizations).toHaveLength(1)
  })

  it('R12 a redirect of the token endpoint is not followed to another origin', async () => {
    const { as, call } = setUp((as) =>
      as.routes.set(TOKEN_ROUTE, () => ({ status: 307, headers: { location: 'https://evil.example.com/token' } })),
    )
    await expect(call()).rejects.toMatchObject({ name: 'OAuthError', step: 'token' })
    expect(as.requests.some(({ url }) => url.hostname === 'evil.example.com')).toBe(false)
  })

  it('C-AUTH-13 tokens and codes are in no URL', async () => {
    const { as, call } = setUp()
    await call()
    const urls = as.requests.map(({ url }) => url.href).join(' ')
    for (const secret of [...as.accessTokens.keys(), ...as.refreshTokens]) expect(urls).not.toContain(secret)
    expect(urls).not.toMatch(/code=|token=/)
  })
})

describe('token stores', () => {
  const failing = (method: 'get' | 'set'): TokenStore => ({
    ...memoryTokenStore(),
    [method]: () => {
      throw new Error('locked')
    },
  })

  it('F184 one that cannot be read fails the call, and sends nothing', async () => {
    const { as, call } = setUp(undefined, { store: failing('get') })
    await expect(call()).rejects.toMatchObject({ code: 'store_failed', step: 'store' })
    expect(as.requests).toHaveLength(0)
  })

  it('F184 one that cannot be written costs a warning, and the tokens live in memory', async () => {
    const warnings: OAuthError[] = []
    const { as, call } = setUp(undefined, { store: failing('set'), onWarning: (error) => warnings.push(error) })
    await call()
    expect((await call()).status).toBe(200)
    expect(as.authorizations).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ code: 'store_failed' })
  })

  it.each<unknown>([
    null,
    7,
    'text',
    [[]],
    { accessToken: 'x' },
    { issuer: 'https://as.example.com', accessToken: 'a\nb' },
  ])('F184 rubbish (%j) counts as nothing', async (rubbish) => {
    const { as, call } = setUp(undefined, { store: { ...memoryTokenStore(), get: () => rubbish } })
    expect((await call()).status).toBe(200)
    expect(as.authorizations).toHaveLength(1)
  })

  it('C-AUTH-14 C-REG-08 F184 tokens of another issuer or resource are not sent', async () => {
    const foreign = {
      issuer: 'https://evil.example.com',
      resource: 'https://mcp.example.com/mcp',
      clientId: 'x',
      accessToken: 'foreign',
      tokenType: 'bearer',
    }
    for (const get of [
      (key: string) => (key.startsWith('server') ? { issuer: 'https://as.example.com' } : foreign),
      (key: string) => (key.startsWith('server') ? foreign : { ...foreign, resource: 'https://other.example.com' }),
    ]) {
      const { as, call } = setUp(undefined, { store: { ...memoryTokenStore(), get } })
      await call()
      expect(as.requests.some(({ headers }) => headers['authorization']?.includes('foreign'))).toBe(false)
    }
  })
})

describe('secrets', () => {
  it('C-AUTH-27 R49 are shown by no object that holds them', async () => {
    const as = new ScriptedOAuth()
    as.serverMetadata['token_endpoint_auth_methods_supported'] = ['client_secret_basic']
    const store = memoryTokenStore()
    const secret = 'very-s3cret'
    const provider = browsingProvider(as, { store, client: { id: 'mine', secret, issuer: as.issuer } })
    const { poster, call } = createCaller(as, provider)
    await call()
    const machine = clientCredentials({ clientId: 'mine', clientSecret: secret, issuer: as.issuer })
    const shown = [provider, poster, machine, store].map((object) => {
      return `${inspect(object, { depth: 10, showHidden: true })} ${String(object)} ${JSON.stringify(object)}`
    })
    for (const hidden of [secret, ...as.accessTokens.keys(), ...as.refreshTokens])
      expect(shown.join()).not.toContain(hidden)
  })

  it('R49 that a server echoes are masked in errors, through every cause', async () => {
    const as = new ScriptedOAuth()
    as.serverMetadata['token_endpoint_auth_methods_supported'] = ['client_secret_post']
    as.routes.set(TOKEN_ROUTE, ({ form }) => json(400, { error: 'invalid_grant', error_description: form.toString() }))
    const provider = browsingProvider(as, { client: { id: 'mine', secret: 'very-s3cret', issuer: as.issuer } })
    const error = await createCaller(as, provider)
      .call()
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(OAuthError)
    const { form } = as.sent('/token')[0]!
    const shown = inspect(error, { depth: 10, showHidden: true })
    for (const name of ['code', 'code_verifier', 'client_secret']) expect(shown).not.toContain(form.get(name))
  })

  it('R49 in an answer that makes no sense are not kept in the error', async () => {
    const body = { access_token: 'leaked-access', refresh_token: 'leaked-refresh', token_type: 'mac' }
    const { call } = setUp((as) => as.routes.set(TOKEN_ROUTE, () => json(200, body)))
    const error = await call().catch((reason: unknown) => reason)
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/leaked/)
  })
})
