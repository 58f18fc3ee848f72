// Which scopes are asked for, at first and when the server wants more.
import { describe, expect, it } from 'vitest'
import { setUp } from '../login-support.ts'

const scopesOf = (url: URL | undefined) => url?.searchParams.get('scope')

describe('scopes', () => {
  it('C-AUTH-23 C-AUTH-22 come from the challenge before the metadata', async () => {
    const { as, call } = setUp((as) => {
      as.requiredScopes = ['read']
      as.resourceMetadata['scopes_supported'] = ['read', 'write']
    })
    await call()
    expect(scopesOf(as.authorizations[0])).toBe('read')
  })

  it('C-AUTH-22 come from the metadata of the resource where the challenge names none', async () => {
    const { as, call } = setUp((as) => {
      as.resourceMetadata['scopes_supported'] = ['read', 'write', 'bad"scope', 3]
    })
    await call()
    expect(scopesOf(as.authorizations[0])).toBe('read write')
  })

  it('of the user are asked for together with those of the challenge', async () => {
    const { as, call } = setUp((as) => (as.requiredScopes = ['read']), { scopes: ['profile'] })
    await call()
    expect(scopesOf(as.authorizations[0])).toBe('profile read')
  })

  it('C-AUTH-29 offline_access is asked for only where the authorization server offers it', async () => {
    const offered = setUp((as) => (as.serverMetadata['scopes_supported'] = ['offline_access']))
    await offered.call()
    expect(scopesOf(offered.as.authorizations[0])).toBe('offline_access')
    expect(offered.as.authorizations[0]!.searchParams.get('prompt')).toBe('consent')
    const other = setUp((as) => (as.requiredScopes = ['read', 'offline_access']))
    await expect(other.call()).rejects.toMatchObject({ code: 'insufficient_scope' })
    expect(scopesOf(other.as.authorizations[0])).toBe('read')
  })

  it('C-AUTH-25 F185 a step-up requests the union of scopes, once, and repeats the call', async () => {
    const { as, call } = setUp((as) => (as.requiredScopes = ['read']))
    await call()
    as.requiredScopes = ['write']
    expect((await call()).status).toBe(200)
    expect(as.authorizations.map(scopesOf)).toEqual(['read', 'read write'])
  })

  it('C-AUTH-26 F185 insufficient_scope for ever ends in an error, and does not ask the user again', async () => {
    const { as, call } = setUp((as) => {
      as.routes.set('POST https://mcp.example.com/mcp', ({ headers }) => ({
        status: headers['authorization'] === undefined ? 401 : 403,
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="admin"' },
      }))
    })
    const refusal = { name: 'OAuthError', code: 'insufficient_scope', challenge: { scope: 'admin' } }
    for (let count = 0; count < 5; count++) await expect(call()).rejects.toMatchObject(refusal)
    expect(as.authorizations.length).toBeLessThanOrEqual(3)
  })

  it('C-AUTH-26 F185 scopes that grow with every answer are given up on', async () => {
    let asked = 0
    const { as, call } = setUp((as) => {
      as.routes.set('POST https://mcp.example.com/mcp', ({ headers }) => ({
        status: headers['authorization'] === undefined ? 401 : 403,
        headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="scope-${asked++}"` },
      }))
    })
    for (let count = 0; count < 10; count++) await expect(call()).rejects.toMatchObject({ code: 'insufficient_scope' })
    expect(as.authorizations.length).toBeLessThanOrEqual(4)
  })
})
