// Finding the authorization server: the order, the checks, and every document that must not be believed.
import { describe, expect, it } from 'vitest'
import type { Poster } from '../../../../../src/http/poster.ts'
import { TransportError } from '../../../../../src/types/errors/failures.ts'
import { json, ScriptedOAuth } from '../../../../support/scripted-oauth.ts'
import { browsingProvider, setUp } from '../login-support.ts'

const RESOURCE_METADATA = 'GET https://mcp.example.com/.well-known/oauth-protected-resource/mcp'
const SERVER_METADATA = 'GET https://as.example.com/.well-known/oauth-authorization-server'

/** The call fails with this code, and nobody but the resource and its well-known documents was asked anything. */
async function expectStop(change: (as: ScriptedOAuth) => void, code: string): Promise<ScriptedOAuth> {
  const { as, call } = setUp(change)
  await expect(call()).rejects.toMatchObject({ name: 'OAuthError', code })
  expect(as.authorizations).toHaveLength(0)
  expect([...as.sent('/register'), ...as.sent('/token')]).toHaveLength(0)
  return as
}

describe('the metadata of the resource', () => {
  it('C-AUTH-03 is looked for at the path, then at the root', async () => {
    const { as, call } = setUp((as) => {
      as.routes.set('POST https://mcp.example.com/mcp', ({ headers }) => {
        return headers['authorization'] === undefined ? { status: 401 } : json(200, {})
      })
      as.routes.set(RESOURCE_METADATA, () => ({ status: 404 }))
      as.routes.set('GET https://mcp.example.com/.well-known/oauth-protected-resource', () =>
        json(200, { ...as.resourceMetadata, resource: 'https://mcp.example.com' }),
      )
    })
    expect((await call()).status).toBe(200)
    expect(as.authorizations[0]!.searchParams.get('resource')).toBe('https://mcp.example.com')
  })

  it.each([
    ['of another origin', 'https://evil.example.com/mcp'],
    ['of a neighbour', 'https://mcp.example.com/mcp-evil'],
    ['of a child', 'https://mcp.example.com/mcp/deeper'],
  ])('C-AUTH-04 F176 R11 a resource %s stops the login', async (_what, resource) => {
    const as = await expectStop((as) => Object.assign(as.resourceMetadata, { resource }), 'resource_mismatch')
    expect(as.requests.some(({ url }) => url.origin === as.issuer)).toBe(false)
  })

  it('F176 an empty list of authorization servers stops the login', async () => {
    await expectStop(
      (as) => Object.assign(as.resourceMetadata, { authorization_servers: [] }),
      'no_authorization_server',
    )
  })

  it('F176 an authorization server over plain http stops the login', async () => {
    await expectStop(
      (as) => Object.assign(as.resourceMetadata, { authorization_servers: ['http://as.example.com'] }),
      'insecure_url',
    )
  })

  it('F176 of several authorization servers the first that may be reached is used', async () => {
    const { as, call } = setUp((as) =>
      Object.assign(as.resourceMetadata, { authorization_servers: ['http://plain.example.com', 7, as.issuer] }),
    )
    await call()
    expect(as.authorizations[0]!.origin).toBe(as.issuer)
  })

  it.each([
    ['https://elsewhere.example.com/metadata', 'untrusted_metadata_url'],
    ['https://169.254.169.254/latest/meta-data', 'untrusted_metadata_url'],
    ['https://[::ffff:169.254.169.254]/', 'untrusted_metadata_url'],
    ['http://0.0.0.0/', 'untrusted_metadata_url'],
    ['javascript:alert(1)', 'untrusted_metadata_url'],
  ])('C-AUTH-33 F182 a challenge that points to %s is refused', async (url, code) => {
    const as = await expectStop((as) => {
      as.routes.set('POST https://mcp.example.com/mcp', () => ({
        status: 401,
        headers: { 'www-authenticate': `Bearer resource_metadata="${url}"` },
      }))
    }, code)
    expect(as.requests).toHaveLength(1)
  })

  it('F182 the poster is asked to look at the address behind a name that the server gave', async () => {
    const { as, call } = setUp()
    await call()
    const [metadata] = as.sent('/oauth-authorization-server')
    expect(metadata!.allowsAddress?.('10.0.0.1')).toBe(false)
    expect(as.sent('/oauth-protected-resource/mcp')[0]!.allowsAddress?.('10.0.0.1')).toBe(true)
  })

  it('F182 a host name in a private network is rejected with the option that allows it', async () => {
    const as = new ScriptedOAuth()
    const poster: Poster = async (request) => {
      const isAllowed = request.allowsAddress?.('192.168.0.1') ?? true
      if (!isAllowed) throw new TransportError('refused to connect')
      return as.poster(request)
    }
    const call = browsingProvider(as).authorize(poster, new URL(as.resource))
    await expect(call({ method: 'POST', url: as.resource, headers: {}, body: '{}' })).rejects.toMatchObject({
      code: 'private_address',
      message: expect.stringContaining('allowPrivateAddresses'),
    })
    expect(as.requests.some(({ url }) => url.origin === as.issuer)).toBe(false)
  })

  it.each([
    [500, 'discovery_failed', 'failure'],
    [200, 'invalid_metadata', '<html>not json</html>'],
    [200, 'invalid_metadata', '[1]'],
    [200, 'response_too_large', `{"x":"${'y'.repeat(1_100_000)}"}`],
    [200, 'response_too_large', `{"x":${'['.repeat(5_000)}`],
  ])('F173 metadata of the resource with status %s ends in %s', async (status, code, body) => {
    await expectStop((as) => as.routes.set(RESOURCE_METADATA, () => ({ status, body })), code)
  })

  it('F173 slow metadata is waited for no longer than allowed', async () => {
    const { call } = setUp((as) => as.routes.set(RESOURCE_METADATA, () => new Promise(() => {})), {
      requestTimeoutMs: 20,
    })
    await expect(call()).rejects.toMatchObject({ code: 'timeout', step: 'discovery' })
  })

  it.each([301, 302, 303, 307, 308])(
    'C-AUTH-33 F173 R12 a redirect (%s) to another origin is not followed',
    async (status) => {
      const as = await expectStop((as) => {
        as.routes.set(RESOURCE_METADATA, () => ({ status, headers: { location: 'https://evil.example.com/' } }))
      }, 'redirect_refused')
      expect(as.requests.some(({ url }) => url.hostname === 'evil.example.com')).toBe(false)
    },
  )
})

describe('the metadata of the authorization server', () => {
  it('C-AUTH-05 is looked for in the order of the specification, and nowhere else', async () => {
    const { as, call } = setUp((as) => {
      Object.assign(as.resourceMetadata, { authorization_servers: ['https://as.example.com/tenant'] })
      const server = { ...as.serverMetadata, issuer: 'https://as.example.com/tenant' }
      as.callbackExtras = { iss: 'https://as.example.com/tenant' }
      as.routes.set('GET https://as.example.com/tenant/.well-known/openid-configuration', () => json(200, server))
    })
    expect((await call()).status).toBe(200)
    const asked = as.requests.filter(({ url }) => url.pathname.includes('.well-known') && url.origin === as.issuer)
    expect(asked.map(({ url }) => url.pathname)).toEqual([
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ])
  })

  it.each([
    'https://as.example.com/',
    'https://AS.example.com',
    'https://as.example.com:443',
    'https://evil.example.com',
  ])('C-AUTH-06 F174 metadata that claims to be %s is not used', async (issuer) => {
    await expectStop((as) => Object.assign(as.serverMetadata, { issuer }), 'issuer_mismatch')
  })

  it('F173 a mismatch does not fall through to the next place', async () => {
    const as = await expectStop(
      (as) => Object.assign(as.serverMetadata, { issuer: 'https://x.example.com' }),
      'issuer_mismatch',
    )
    expect(as.sent('/openid-configuration')).toHaveLength(0)
  })

  it.each([[undefined], [['plain']], ['S256']])(
    'C-AUTH-09 F178 without advertised S256 there is no login (%s)',
    async (methods) => {
      await expectStop(
        (as) => Object.assign(as.serverMetadata, { code_challenge_methods_supported: methods }),
        'pkce_not_supported',
      )
    },
  )

  it('assumePkce logs in with PKCE where the metadata lists nothing, and not where it lists other methods', async () => {
    const lists = (methods: unknown) => (as: ScriptedOAuth) =>
      void Object.assign(as.serverMetadata, { code_challenge_methods_supported: methods })
    const { as, call } = setUp(lists(undefined), { assumePkce: true })
    expect((await call()).status).toBe(200)
    expect(as.authorizations[0]?.searchParams.get('code_challenge_method')).toBe('S256')
    const other = setUp(lists(['plain']), { assumePkce: true })
    await expect(other.call()).rejects.toMatchObject({ code: 'pkce_not_supported' })
    const refused = setUp(lists(undefined))
    await expect(refused.call()).rejects.toThrow(/Set assumePkce if it supports PKCE all the same/)
  })

  it.each([500, 302])('F173 status %s of the authorization server stops the login', async (status) => {
    const { as, call } = setUp((as) => as.routes.set(SERVER_METADATA, () => ({ status })))
    await expect(call()).rejects.toMatchObject({ name: 'OAuthError', step: 'discovery' })
    expect(as.authorizations).toHaveLength(0)
  })

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,<script>1</script>',
    'http://as.example.com/authorize',
    'https://10.0.0.1/authorize',
    '',
  ])('C-AUTH-32 F180 R26 an authorization_endpoint of %s is never opened', async (authorization_endpoint) => {
    const { as, call } = setUp((as) => Object.assign(as.serverMetadata, { authorization_endpoint }))
    await expect(call()).rejects.toMatchObject({ name: 'OAuthError', step: 'authorization' })
    expect(as.authorizations).toHaveLength(0)
  })

  it.each(['http://as.example.com/token', 'ftp://as.example.com/token', ''])(
    'C-AUTH-32 a token_endpoint of %s stops before anybody registers or logs in',
    async (token_endpoint) => {
      await expectStop((as) => Object.assign(as.serverMetadata, { token_endpoint }), 'insecure_url')
    },
  )

  it.each(['token_endpoint', 'registration_endpoint'])(
    'R13 a %s in a private network gets nothing',
    async (endpoint) => {
      const { as, call } = setUp((as) => Object.assign(as.serverMetadata, { [endpoint]: 'https://192.168.0.1/x' }))
      await expect(call()).rejects.toMatchObject({ code: 'private_address' })
      expect(as.requests.some(({ url }) => url.hostname === '192.168.0.1')).toBe(false)
    },
  )
})
