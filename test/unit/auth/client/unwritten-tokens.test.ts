// What a client must not write to a user's token store: anything but tokens that a server has issued and that it took as such.
import { memoryTokenStore } from 'mcpwire/auth'
import { describe, expect, it, vi } from 'vitest'
import type { Route, ScriptedOAuth } from '../../../support/scripted-oauth.ts'
import { setUp } from './login-support.ts'

const TOKEN_ROUTE = 'POST https://as.example.com/token'

/** The keys that were written, and all that was written under them, as text. */
function setUpSpied(change: (as: ScriptedOAuth) => void) {
  const store = memoryTokenStore()
  const set = vi.spyOn(store, 'set')
  const caller = setUp(change, { store })
  const written = () => set.mock.calls.map(([, value]) => JSON.stringify(value))
  return { ...caller, set, written }
}

const tokens =
  (body: unknown): Route =>
  () => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body,
  })

describe('no token is written', () => {
  it.each<[string, Route]>([
    [
      'is refused',
      () => ({ status: 400, headers: { 'content-type': 'application/json' }, body: { error: 'invalid_grant' } }),
    ],
    ['is answered with an error of the server', () => ({ status: 500, body: 'oops' })],
    ['brings no access token', tokens({ token_type: 'Bearer', expires_in: 3600 })],
    ['brings an empty one', tokens({ access_token: '', token_type: 'Bearer' })],
    ['brings one that no header can carry', tokens({ access_token: 'a\nb', token_type: 'Bearer' })],
    ['brings one of a kind that we do not know', tokens({ access_token: 'abc', token_type: 'mac' })],
  ])('where the login %s', async (_what, route) => {
    const { call, written } = setUpSpied((as) => as.routes.set(TOKEN_ROUTE, route))
    await expect(call()).rejects.toMatchObject({ name: 'OAuthError' })
    expect(written().filter((text) => text.includes('accessToken'))).toEqual([])
  })

  it('if the server requires none', async () => {
    const { call, set } = setUpSpied((as) => as.routes.set(`POST ${as.resource}`, () => ({ status: 200, body: {} })))
    expect((await call()).status).toBe(200)
    expect(set).not.toHaveBeenCalled()
  })

  it('where the user comes back with another state', async () => {
    const { call, written } = setUpSpied((as) => {
      as.callbackExtras = { state: 'another' }
    })
    await expect(call()).rejects.toMatchObject({ name: 'OAuthError' })
    expect(written().filter((text) => text.includes('accessToken'))).toEqual([])
  })
})

it('what is written holds no verifier, no code and no state of the login', async () => {
  const { as, call, written } = setUpSpied(() => {})
  expect((await call()).status).toBe(200)
  const form = as.sent('/token')[0]!.form
  const secrets = [form.get('code_verifier'), form.get('code'), as.authorizations[0]!.searchParams.get('state')]
  expect(written().length).toBeGreaterThan(0)
  for (const secret of secrets) {
    expect(secret).toBeTruthy()
    for (const text of written()) expect(text).not.toContain(secret)
  }
})
