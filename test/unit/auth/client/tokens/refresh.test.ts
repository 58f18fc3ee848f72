// Tokens over time: expiry, refresh, refusal, and who waits for whom.
import { memoryTokenStore, type OAuthOptions, type TokenStore } from 'mcpwire/auth'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Poster } from '../../../../../src/http/poster.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { type Route, ScriptedOAuth } from '../../../../support/scripted-oauth.ts'
import { browsingProvider, type Caller, createCaller, setUp } from '../login-support.ts'

const TOKEN_ROUTE = 'POST https://as.example.com/token'

function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

/** Logged in, with a token that has expired meanwhile and is no longer taken. */
async function setUpExpired(options: OAuthOptions = {}): Promise<Caller> {
  const caller = setUp(undefined, options)
  await caller.call()
  caller.as.revokeAccess()
  caller.as.requests.length = 0
  passTime(3600_000)
  return caller
}

/** Two that share a store and are logged in, with a token that is no longer taken. */
async function setUpTwo(): Promise<{ as: ScriptedOAuth; one: Caller; other: Caller }> {
  const store = memoryTokenStore()
  const as = new ScriptedOAuth()
  const one = createCaller(as, browsingProvider(as, { store }))
  const other = createCaller(as, browsingProvider(as, { store }))
  await one.call()
  await other.call()
  as.revokeAccess()
  return { as, one, other }
}

function refreshRoute(as: ScriptedOAuth, refresh: Route): void {
  as.routes.set(TOKEN_ROUTE, (request) =>
    request.form.get('grant_type') === 'refresh_token' ? refresh(request) : as.issueTokens(request),
  )
}

afterEach(() => {
  vi.useRealTimers()
})

describe('refreshing', () => {
  it('F171 an expired token is refreshed before the request, without a login', async () => {
    const { as, call } = await setUpExpired()
    expect((await call()).status).toBe(200)
    expect(as.authorizations).toHaveLength(1)
    expect(as.requests.map(({ url }) => url.pathname)).toEqual(['/token', '/mcp'])
    const { form } = as.sent('/token')[0]!
    expect(form.get('resource')).toBe(as.resource)
  })

  it('a token that is rejected before it expires is refreshed, without a login', async () => {
    const { as, call } = setUp()
    await call()
    as.revokeAccess()
    expect((await call()).status).toBe(200)
    expect(as.authorizations).toHaveLength(1)
  })

  it('F168 R43 a hundred calls with an expired token cause one refresh', async () => {
    const { as, call } = await setUpExpired()
    const responses = await Promise.all(Array.from({ length: 100 }, () => call()))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(as.sent('/token')).toHaveLength(1)
  })

  it('F168 a hundred calls that are rejected together cause one refresh', async () => {
    const { as, call } = setUp()
    await call()
    as.revokeAccess()
    await Promise.all(Array.from({ length: 100 }, () => call()))
    expect(as.sent('/token')).toHaveLength(2)
    expect(as.authorizations).toHaveLength(1)
  })

  it('R55 cancelling the call that started a refresh cancels only that call', async () => {
    const { as, call } = await setUpExpired()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    refreshRoute(as, async (request) => {
      await held
      return as.issueTokens(request)
    })
    const controller = new AbortController()
    const first = call(controller.signal)
    const second = call()
    controller.abort(new Error('changed my mind'))
    await expect(first).rejects.toThrow('changed my mind')
    release()
    expect((await second).status).toBe(200)
    expect(as.sent('/token')).toHaveLength(1)
  })

  it('F170 the old refresh token is kept where no new one comes', async () => {
    const { as, call } = await setUpExpired()
    as.givesRefreshTokens = false
    const [kept] = as.refreshTokens
    await call()
    as.refreshTokens.add(kept!)
    as.usedRefreshTokens.clear()
    passTime(7200_000)
    expect((await call()).status).toBe(200)
    expect(as.sent('/token').map(({ form }) => form.get('refresh_token'))).toEqual([kept, kept])
  })

  it('F170 invalid_grant drops the tokens and leads to a login', async () => {
    const { as, call } = await setUpExpired()
    as.refreshTokens.clear()
    expect((await call()).status).toBe(200)
    expect(as.authorizations).toHaveLength(2)
  })

  it.each<[string, Route, string]>([
    ['500', () => ({ status: 500 }), 'temporarily_unavailable'],
    ['503 in HTML', () => ({ status: 503, body: '<html>' }), 'temporarily_unavailable'],
    ['200 in HTML', () => ({ status: 200, body: '<html>' }), 'invalid_token_response'],
    ['no answer', () => Promise.reject(new Error('socket hang up')), 'network_failed'],
    ['silence', () => new Promise(() => {}), 'timeout'],
  ])('F170 %s keeps the refresh token for the next call', async (_what, refresh, code) => {
    const { as, call } = await setUpExpired({ requestTimeoutMs: 50 })
    refreshRoute(as, refresh)
    await expect(call()).rejects.toMatchObject({ name: 'OAuthError', code, step: 'refresh' })
    as.routes.clear()
    expect((await call()).status).toBe(200)
    expect(as.authorizations).toHaveLength(1)
  })

  it.each([[0], ['0'], [-5], ['soon'], ['1e999'], [null], [undefined], [1]])(
    'F172 expires_in of %j neither refreshes before every call nor lasts for ever',
    async (expiresIn) => {
      const { as, call } = setUp((as) => {
        as.expiresIn = expiresIn
      })
      for (let count = 0; count < 5; count++) expect((await call()).status).toBe(200)
      expect(as.sent('/token')).toHaveLength(1)
      as.revokeAccess()
      expect((await call()).status).toBe(200)
      expect(as.authorizations).toHaveLength(1)
    },
  )

  it('F172 expires_in as text is read as a number', async () => {
    const { as, call } = setUp((as) => {
      as.expiresIn = '60'
    })
    await call()
    passTime(61_000)
    await call()
    expect(as.sent('/token')).toHaveLength(2)
  })

  it('a stored refresh token serves another run, with the expiry that was stored along', async () => {
    const store = memoryTokenStore()
    const { as } = await setUpExpired({ store })
    expect((await createCaller(as, browsingProvider(as, { store })).call()).status).toBe(200)
    expect(as.authorizations).toHaveLength(1)
    expect(as.calls).toHaveLength(1)
  })

  it('the lock of the store is held for the refresh, and not for the request that it is for', async () => {
    let isHeld = false
    const store: TokenStore = {
      ...memoryTokenStore(),
      lock: async (_key, work) => {
        isHeld = true
        return work().finally(() => {
          isHeld = false
        })
      },
    }
    const held: string[] = []
    const { as } = await setUpExpired({ store })
    const watching: Poster = (request) => {
      held.push(`${new URL(request.url).pathname} ${isHeld}`)
      return as.poster(request)
    }
    const call = browsingProvider(as, { store }).authorize(watching, new URL(as.resource))
    await call({ method: 'POST', url: as.resource, headers: {}, body: '{}' })
    expect(held.slice(-2)).toEqual(['/token true', '/mcp false'])
  })

  it('F169 tokens that another process stored are taken instead of a used refresh token', async () => {
    const { as, one, other } = await setUpTwo()
    await one.call()
    expect((await other.call()).status).toBe(200)
    expect(as.sent('/token')).toHaveLength(2)
    expect(as.replays).toBe(0)
    expect(as.authorizations).toHaveLength(1)
  })

  it('F169 without a lock, the second process that uses a refresh token takes what the first one stored', async () => {
    const { as, one, other } = await setUpTwo()
    const winner = createDeferred()
    let refreshes = 0
    refreshRoute(as, async (request) => {
      refreshes += 1
      if (refreshes === 2) await winner.promise
      return as.issueTokens(request)
    })
    const calls = [one.call(), other.call()]
    await Promise.race(calls)
    winner.resolve()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
    expect(refreshes).toBe(2)
    expect(as.authorizations).toHaveLength(1)
  })
})

describe('endless rejections', () => {
  it('F167 a server that rejects every token ends in an error after one login, with its challenge', async () => {
    const { as, call } = setUp((as) => {
      as.routes.set('POST https://mcp.example.com/mcp', () => ({
        status: 401,
        headers: { 'www-authenticate': as.challenge() },
      }))
    })
    const refusal = { name: 'OAuthError', code: 'unauthorized', challenge: { resource_metadata: expect.any(String) } }
    await expect(call()).rejects.toMatchObject(refusal)
    const before = as.requests.length
    expect(as.authorizations).toHaveLength(1)
    for (let count = 0; count < 5; count++) await expect(call()).rejects.toMatchObject(refusal)
    expect(as.authorizations).toHaveLength(1)
    expect(as.requests.length - before).toBeLessThan(60)
  })

  it('a login is possible again once some time has passed', async () => {
    const { as, call } = setUp((as) => {
      as.givesRefreshTokens = false
      as.routes.set('POST https://mcp.example.com/mcp', () => ({ status: 401 }))
    })
    await expect(call()).rejects.toMatchObject({ code: 'unauthorized' })
    as.routes.clear()
    as.revokeAccess()
    passTime(61_000)
    expect((await call()).status).toBe(200)
  })

  it('a 403 without a scope is the response to the call', async () => {
    const { as, call } = setUp((as) => as.routes.set('POST https://mcp.example.com/mcp', () => ({ status: 403 })))
    expect((await call()).status).toBe(403)
    expect(as.authorizations).toHaveLength(0)
  })
})
