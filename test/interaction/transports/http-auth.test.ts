// What the manifest says of authorization: who waits for whom, what is kept, and whose name credentials carry.
import { memoryTokenStore } from 'mcpwire/auth'
import { expect, onTestFinished, vi } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { ScriptedOAuth } from '../../support/scripted-oauth.ts'
import { browsingProvider, createCaller, setUp } from '../../unit/auth/client/login-support.ts'
import { requirement } from '../kit/requirement.ts'

function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}

requirement('auth:lock:only-around-tokens', async () => {
  const { as, poster, call } = setUp()
  await call()
  const slow = createDeferred()
  const answering = createDeferred()
  as.routes.set('POST https://mcp.example.com/slow', async () => {
    answering.resolve()
    await slow.promise
    return { status: 200 }
  })
  const waiting = poster({ method: 'POST', url: 'https://mcp.example.com/slow', headers: {}, body: '{}' })
  await answering.promise
  // A request under way keeps nobody from being sent, nor from getting another token.
  expect((await call()).status).toBe(200)
  as.revokeAccess()
  const responses = await Promise.all([call(), call(), call()])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(as.sent('/token')).toHaveLength(2)
  slow.resolve()
  expect((await waiting).status).toBe(200)
})

requirement('auth:tokens:persisted-with-expiry', async () => {
  const store = memoryTokenStore()
  const as = new ScriptedOAuth()
  await createCaller(as, browsingProvider(as, { store })).call()
  as.revokeAccess()
  as.requests.length = 0
  passTime(3600_000)
  // Another run knows from the store that the token is too old, and from whom to get a new one.
  expect((await createCaller(as, browsingProvider(as, { store })).call()).status).toBe(200)
  expect(as.requests.map(({ url }) => url.pathname).slice(-2)).toEqual(['/token', '/mcp'])
  expect(as.calls).toHaveLength(1)
  expect(as.sent('/token')[0]?.form.get('grant_type')).toBe('refresh_token')
  expect(as.authorizations).toHaveLength(1)
})

requirement('auth:issuer:compared-as-text', async () => {
  for (const issuer of ['https://as.example.com/', 'https://AS.example.com', 'https://as.example.com:443']) {
    const metadata = setUp((as) => Object.assign(as.serverMetadata, { issuer }))
    await expect(metadata.call(), issuer).rejects.toMatchObject({ code: 'issuer_mismatch' })
    const callback = setUp((as) => Object.assign(as.callbackExtras, { iss: issuer }))
    await expect(callback.call(), issuer).rejects.toMatchObject({ code: 'issuer_mismatch' })
    expect(callback.as.sent('/token')).toEqual([])
  }
})

requirement('auth:issuer:stamped-when-true', async () => {
  const store = memoryTokenStore()
  const kept = new Map<string, unknown>()
  const watched = {
    ...store,
    set: (key: string, value: unknown) => {
      kept.set(key, value)
      return store.set(key, value as never)
    },
  }
  const failing = setUp((as) => as.routes.set('POST https://as.example.com/register', () => ({ status: 400 })), {
    store: watched,
  })
  await expect(failing.call()).rejects.toMatchObject({ step: 'registration' })
  expect([...kept.values()].filter((value) => JSON.stringify(value).includes('clientId'))).toEqual([])

  const { as, call } = setUp(undefined, { store: watched })
  await call()
  const [clientId] = as.clients.keys()
  const registrations = [...kept.values()].filter((value) => JSON.stringify(value).includes(clientId ?? ''))
  expect(registrations.length).toBeGreaterThan(0)
  for (const registration of registrations) expect(registration).toMatchObject({ issuer: as.issuer })
})

requirement('auth:scopes:step-up-unites', async () => {
  const { as, call } = setUp((as) => as.requiredScopes.push('read'))
  await call()
  as.requiredScopes = ['write']
  expect((await call()).status).toBe(200)
  const scopes = as.authorizations.map(({ searchParams }) => searchParams.get('scope')?.split(' ').sort())
  expect(scopes).toEqual([['read'], ['read', 'write']])
})
