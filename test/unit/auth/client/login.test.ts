// A login from the first refusal to the accepted request, and what each step tells the authorization server.
import { memoryTokenStore, oauth } from 'mcpwire/auth'
import { describe, expect, it, vi } from 'vitest'
import { ScriptedOAuth } from '../../../support/scripted-oauth.ts'
import { browsingProvider, createCaller, REDIRECT_URI, setUp } from './login-support.ts'

describe('logging in', () => {
  it('C-AUTH-01 C-AUTH-02 answers a 401 with discovery, registration, login and the token', async () => {
    const { as, call } = setUp()
    expect((await call()).status).toBe(200)
    expect(as.requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
      'POST https://mcp.example.com/mcp',
      'GET https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
      'GET https://as.example.com/.well-known/oauth-authorization-server',
      'POST https://as.example.com/register',
      'POST https://as.example.com/token',
      'POST https://mcp.example.com/mcp',
    ])
  })

  it('C-AUTH-07 C-AUTH-08 C-AUTH-10 C-AUTH-19 requests a code with PKCE, state and the resource, and redeems it with the same', async () => {
    const { as, call } = setUp()
    await call()
    const asked = Object.fromEntries(as.authorizations[0]!.searchParams)
    expect(asked).toMatchObject({
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      code_challenge_method: 'S256',
      resource: as.resource,
    })
    expect(asked['state']!.length).toBeGreaterThanOrEqual(22)
    expect(asked).not.toHaveProperty('scope')
    const [token] = as.sent('/token')
    expect(Object.fromEntries(token!.form)).toMatchObject({
      grant_type: 'authorization_code',
      client_id: asked['client_id'],
      redirect_uri: REDIRECT_URI,
      resource: as.resource,
    })
  })

  it('C-AUTH-28 C-REG-06 registers as a native client that wants to refresh', async () => {
    const { as, call } = setUp(undefined, { clientName: 'Shelf' })
    await call()
    expect(JSON.parse(as.sent('/register')[0]!.body)).toMatchObject({
      client_name: 'Shelf',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    })
  })

  it('C-AUTH-12 sends the token with every request and never logs in twice', async () => {
    const { as, call } = setUp()
    await call()
    await call()
    expect(as.authorizations).toHaveLength(1)
    expect(as.calls.at(-1)!.headers['authorization']).toMatch(/^Bearer access-/)
  })

  it('F168 a hundred calls that are rejected together cause one login', async () => {
    const { as, call } = setUp()
    const responses = await Promise.all(Array.from({ length: 100 }, () => call()))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(as.authorizations).toHaveLength(1)
    expect(as.sent('/token')).toHaveLength(1)
  })

  it('C-AUTH-15 F186 two logins at once do not mix their states and verifiers', async () => {
    const a = new ScriptedOAuth()
    const b = new ScriptedOAuth({ resource: 'https://other.example.com/mcp' })
    const callbacks = new Map<string | null, URL>()
    const provider = browsingProvider(a, {
      redirect: (url) => {
        const asked = url.searchParams.get('resource') === a.resource ? a : b
        callbacks.set(url.searchParams.get('state'), asked.browse(url))
      },
      callback: async ({ state }) => callbacks.get(state)!,
    })
    const responses = await Promise.all([createCaller(a, provider).call(), createCaller(b, provider).call()])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
  })

  it('keeps the token to the origin that it is for', async () => {
    const { as, call, poster } = setUp()
    await call()
    await poster({ method: 'GET', url: 'https://elsewhere.example.com/mcp', headers: {} })
    expect(as.requests.at(-1)!.headers).not.toHaveProperty('authorization')
  })

  it('C-AUTH-30 C-AUTH-31 recognises a server of 2025-03-26 by its missing metadata, and uses the paths of that revision', async () => {
    const { as, call } = setUp((as) => {
      const origin = new URL(as.resource).origin
      for (const path of ['/mcp', ''])
        as.routes.set(`GET ${origin}/.well-known/oauth-protected-resource${path}`, () => ({ status: 404 }))
      as.serverMetadata['registration_endpoint'] = `${origin}/register`
      as.serverMetadata['token_endpoint'] = `${origin}/token`
      as.callbackExtras = {}
    })
    expect((await call()).status).toBe(200)
    expect(as.authorizations[0]!.href).toMatch(/^https:\/\/mcp\.example\.com\/authorize\?/)
    const [metadata] = as.sent('/.well-known/oauth-authorization-server')
    expect(metadata?.headers).toHaveProperty('mcp-protocol-version')
  })

  it('takes stored tokens in another run without asking anybody', async () => {
    const store = memoryTokenStore()
    const as = new ScriptedOAuth()
    await createCaller(as, browsingProvider(as, { store })).call()
    as.requests.length = 0
    expect((await createCaller(as, browsingProvider(as, { store })).call()).status).toBe(200)
    expect(as.requests).toHaveLength(1)
  })

  it('prints the page where no browser can be opened, and waits for it at an address of its own', async () => {
    const as = new ScriptedOAuth()
    const { PATH } = process.env
    process.env['PATH'] = '/nonexistent'
    const printed = vi.spyOn(console, 'error').mockImplementation((text: string) => {
      void fetch(as.browse(new URL(text.split('\n').at(-1)!)))
    })
    try {
      expect((await createCaller(as, oauth()).call()).status).toBe(200)
      expect(printed).toHaveBeenCalledOnce()
      const { searchParams } = as.authorizations[0]!
      expect(searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    } finally {
      process.env['PATH'] = PATH
      printed.mockRestore()
    }
  })
})
