// A server that calls another one for its callers: each with a token of its own for that server, never with the caller's.
import { inspect } from 'node:util'
import { type AuthInfo, subjectTokenOf, type TokenExchangeOptions, tokenExchange } from 'mcpwire/auth'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { keepSubjectToken } from '../../../../src/auth/server/subject-token.ts'
import { json, ScriptedOAuth } from '../../../support/scripted-oauth.ts'
import { createCaller } from './login-support.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

afterEach(() => {
  vi.useRealTimers()
})

function callerWith(token: string | undefined, subject = 'ada', scopes: readonly string[] = ['notes:read']): AuthInfo {
  const auth: AuthInfo = { clientId: 'editor', issuer: 'https://as.example.com', subject, scopes }
  if (token !== undefined) keepSubjectToken(auth, token)
  return auth
}

function setUp(options: Partial<TokenExchangeOptions> = {}) {
  const as = new ScriptedOAuth()
  as.givesRefreshTokens = false
  const exchange = tokenExchange({
    tokenEndpoint: 'https://as.example.com/token',
    client: { id: 'gateway', secret: 's3cret' },
    ...options,
  })
  const callAs = (auth: AuthInfo) => createCaller(as, exchange({ auth }).auth).call()
  return { as, exchange, callAs, exchanges: () => as.sent('/token').map(({ form }) => Object.fromEntries(form)) }
}

describe('compose A05: tokenExchange', () => {
  it('exchanges the token of the caller, and sends the exchanged one alone', async () => {
    const { as, callAs, exchanges } = setUp({ scopes: ['search'] })
    expect((await callAs(callerWith('inbound-1'))).status).toBe(200)
    expect(exchanges()).toEqual([
      {
        grant_type: EXCHANGE,
        subject_token: 'inbound-1',
        subject_token_type: ACCESS_TOKEN,
        requested_token_type: ACCESS_TOKEN,
        resource: as.resource,
        scope: 'search',
      },
    ])
    expect(as.sent('/token')[0]?.headers['authorization']).toBe(`Basic ${btoa('gateway:s3cret')}`)
    expect(inspect(as.calls, { depth: 10 })).not.toContain('inbound-1')
  })

  it('names the audience in place of the URL', async () => {
    const { callAs, exchanges } = setUp({ audience: 'search-service' })
    await callAs(callerWith('inbound-1'))
    expect(exchanges()[0]).toMatchObject({ audience: 'search-service' })
    expect(exchanges()[0]).not.toHaveProperty('resource')
  })

  it('compose X63: exchanges once for requests at the same time, and for later ones', async () => {
    const { callAs, exchanges } = setUp()
    await Promise.all(Array.from({ length: 20 }, () => callAs(callerWith('inbound-1'))))
    await callAs(callerWith('inbound-2'))
    expect(exchanges()).toHaveLength(1)
  })

  it('gives no caller what was exchanged for another, nor for the same one with more scopes', async () => {
    const { callAs, exchanges } = setUp()
    await callAs(callerWith('of-ada', 'ada', ['notes:read', 'admin']))
    await callAs(callerWith('of-bob', 'bob'))
    await callAs(callerWith('narrow', 'ada', ['notes:read']))
    expect(exchanges().map(({ subject_token }) => subject_token)).toEqual(['of-ada', 'of-bob', 'narrow'])
  })

  it('gives no server what was exchanged for another', async () => {
    const { as, exchange, exchanges } = setUp({ audience: 'shared' })
    const credential = exchange({ auth: callerWith('inbound-1') })
    for (const url of [as.resource, 'https://other.example.com/mcp']) {
      as.routes.set(`POST ${url}`, () => json(200, {}))
      await credential.auth.authorize(as.poster, new URL(url))({ method: 'POST', url, headers: {}, body: '{}' })
    }
    const sent = as.requests.filter(({ url }) => url.pathname === '/mcp').map(({ headers }) => headers['authorization'])
    expect(new Set(sent).size).toBe(2)
    expect(exchanges()).toHaveLength(2)
  })

  it('exchanges the newest token of the caller anew, 30 s before the old one expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { callAs, exchanges } = setUp()
    await callAs(callerWith('inbound-1'))
    vi.advanceTimersByTime(3_569_000)
    await callAs(callerWith('inbound-2'))
    expect(exchanges()).toHaveLength(1)
    vi.advanceTimersByTime(2_000)
    await callAs(callerWith('inbound-3'))
    expect(exchanges().map(({ subject_token }) => subject_token)).toEqual(['inbound-1', 'inbound-3'])
  })

  it('exchanges once more when the server rejects the token, and then no more', async () => {
    const { as, callAs, exchanges } = setUp()
    await callAs(callerWith('inbound-1'))
    as.revokeAccess()
    expect((await callAs(callerWith('inbound-1'))).status).toBe(200)
    expect(exchanges()).toHaveLength(2)
    as.routes.set(`POST ${as.resource}`, () => ({ status: 401 }))
    await expect(callAs(callerWith('inbound-1'))).rejects.toMatchObject({ name: 'OAuthError', code: 'unauthorized' })
    expect(exchanges()).toHaveLength(3)
  })

  it('asks for the scopes that the server requires, once', async () => {
    const { as, callAs, exchanges } = setUp({ scopes: ['search'] })
    as.requiredScopes = ['search', 'write']
    expect((await callAs(callerWith('inbound-1'))).status).toBe(200)
    expect(exchanges().map(({ scope }) => scope)).toEqual(['search', 'search write'])
  })

  it('forgets a caller', async () => {
    const { exchange, callAs, exchanges } = setUp()
    await callAs(callerWith('inbound-1'))
    exchange.forget({ clientId: 'editor', issuer: 'https://as.example.com', subject: 'ada' })
    await callAs(callerWith('inbound-1'))
    expect(exchanges()).toHaveLength(2)
  })

  it('compose G019: a refused exchange is an error with the code of the RFC and without the token', async () => {
    const { as, callAs } = setUp()
    as.routes.set('POST https://as.example.com/token', ({ form }) =>
      json(400, { error: 'invalid_target', error_description: `not for ${form.get('subject_token')} by s3cret` }),
    )
    const error = await callAs(callerWith('inbound-1')).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'OAuthError', code: 'invalid_target', step: 'token' })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/inbound-1|s3cret/)
  })

  it.each([
    ['without a verified caller', undefined, /Put requireBearer\(\) in front/],
    ['where its token was not kept', callerWith(undefined), /Set keepToken: true/],
  ])('says what to do %s', (_case, auth, message) => {
    const { exchange } = setUp()
    expect(() => exchange({ auth })).toThrow(message)
    expect(() => exchange({ auth })).toThrow(expect.objectContaining({ code: 'subject_token_missing' }))
  })

  it('refuses a token endpoint on plain http, and a request to the server on plain http', async () => {
    const { callAs, as } = setUp({ tokenEndpoint: 'http://as.example.com/token' })
    await expect(callAs(callerWith('inbound-1'))).rejects.toMatchObject({ code: 'insecure_url' })
    expect(as.requests).toEqual([])
  })

  it('holds no token in what it returns', () => {
    const auth = callerWith('inbound-1')
    const credential = setUp().exchange({ auth })
    expect(inspect([credential, auth], { depth: 20, showHidden: true })).not.toContain('inbound-1')
    expect(subjectTokenOf({ ...auth })).toBeUndefined()
  })
})
