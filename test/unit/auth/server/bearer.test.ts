import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { requireBearer } from '../../../../src/auth/server/bearer.ts'
import type { BearerOptions, BearerRefusal } from '../../../../src/auth/server/bearer-options.ts'
import type { VerifiedToken } from '../../../../src/auth/server/verifier.ts'
import type { HttpHandler } from '../../../../src/http/exchange.ts'
import { OAuthError } from '../../../../src/types/errors/failures.ts'
import type { AuthInfo } from '../../../../src/types/protocol/auth.ts'
import { FakeExchange, type FakeRequest } from '../../../support/fake-exchange.ts'
import { ISSUER, RESOURCE } from '../../../support/token-maker.ts'

const METADATA_URL = 'https://notes.example/.well-known/oauth-protected-resource/mcp'
const GOOD: VerifiedToken = {
  clientId: 'notebook',
  scopes: ['notes'],
  resource: RESOURCE,
  issuer: ISSUER,
  subject: 'ada',
  expiresAt: 9_999_999_999,
}

/** A protected server that lets `good` in, with what a test changes about that. */
function protect(changes: Partial<BearerOptions> = {}) {
  const inner = vi.fn<(caller: AuthInfo | undefined) => void>()
  const refusals: BearerRefusal[] = []
  const server: HttpHandler = (exchange) => {
    inner(exchange.auth)
    exchange.reply(200, 'inside')
  }
  const options = { resource: RESOURCE, issuer: ISSUER, verifier: async () => GOOD, scopes: ['notes'], ...changes }
  const handler = requireBearer(server, { onRefused: (refusal) => refusals.push(refusal), ...options })
  async function send(request: FakeRequest = {}): Promise<FakeExchange> {
    const exchange = new FakeExchange(request)
    await handler(exchange)
    return exchange
  }
  const sendToken = (token = 'good') => send({ headers: { authorization: `Bearer ${token}` } })
  return { inner, refusals, handler, send, sendToken }
}

const challengeOf = ({ replyHeaders }: FakeExchange) => replyHeaders['www-authenticate']

describe('requireBearer', () => {
  it.each<[string, Partial<Record<keyof BearerOptions, unknown>>]>([
    ['without a resource', { resource: undefined }],
    ['with a resource that is no URL', { resource: 'notes server' }],
    ['with a resource that has a fragment', { resource: `${RESOURCE}#x` }],
    ['with a resource that has a query', { resource: `${RESOURCE}?a=1` }],
    ['with a resource that has a user', { resource: 'https://ada@notes.example/mcp' }],
    ['with a resource on plain http elsewhere', { resource: 'http://notes.example/mcp' }],
    ['without an issuer', { issuer: undefined }],
    ['with an empty list of issuers', { issuer: [] }],
    ['with an issuer that is no URL', { issuer: 'id' }],
    ['with an issuer on plain http elsewhere', { issuer: 'http://id.example' }],
    ['without a verifier', { verifier: undefined }],
    ['with a verifier that verifies nothing', { verifier: {} }],
    ['with an empty audience', { audience: '' }],
    ['with no audience at all', { audience: [] }],
    ['with a scope that is none', { scopes: ['a b'] }],
    ['with offline_access as a scope', { scopes: ['offline_access'] }],
    ['with offline_access in the metadata', { metadata: { scopes: ['offline_access'] } }],
    ['with no time to verify', { verifyTimeoutMs: 0 }],
  ])('S-AUTH-12 R14 cannot be built %s', (_what, changes) => {
    expect(() => protect(changes as Partial<BearerOptions>)).toThrow(/requireBearer/)
  })

  it('R14 does not compile without resource, issuer and verifier', () => {
    const verifier = async () => GOOD
    // @ts-expect-error the resource is missing
    expect(() => requireBearer(() => {}, { issuer: ISSUER, verifier })).toThrow(TypeError)
    // @ts-expect-error the issuer is missing
    expect(() => requireBearer(() => {}, { resource: RESOURCE, verifier })).toThrow(TypeError)
    // @ts-expect-error the verifier is missing
    expect(() => requireBearer(() => {}, { resource: RESOURCE, issuer: ISSUER })).toThrow(TypeError)
  })

  it('accepts loopback without TLS, and other plain http only with allowHttp', () => {
    expect(() => protect({ resource: 'http://127.0.0.1:3000/mcp', issuer: 'http://localhost:4000' })).not.toThrow()
    expect(() => protect({ resource: 'http://mesh/mcp', issuer: 'http://id', allowHttp: true })).not.toThrow()
  })

  it('passes a valid token to the handler, with the caller in exchange.auth', async () => {
    const { inner, sendToken, refusals } = protect()
    const answer = await sendToken()
    expect(answer.status).toBe(200)
    expect(inner).toHaveBeenCalledExactlyOnceWith({
      clientId: 'notebook',
      scopes: ['notes'],
      issuer: ISSUER,
      subject: 'ada',
      expiresAt: 9_999_999_999,
      resource: RESOURCE,
    })
    expect(refusals).toEqual([])
  })

  it('hands the verifier what to expect, from the configuration', async () => {
    const verify = vi.fn(async () => GOOD)
    await protect({ verifier: { verify } }).sendToken('abc')
    expect(verify).toHaveBeenCalledExactlyOnceWith(
      'abc',
      expect.objectContaining({ resource: RESOURCE, audiences: [RESOURCE], issuers: [ISSUER] }),
    )
  })

  it('S-AUTH-03 S-AUTH-05 challenges a request without a token, with the metadata URL and the scopes', async () => {
    const { inner, send } = protect()
    const answer = await send()
    expect(answer.status).toBe(401)
    expect(challengeOf(answer)).toBe(`Bearer resource_metadata="${METADATA_URL}", scope="notes"`)
    expect(inner).not.toHaveBeenCalled()
  })

  it.each([['Basic YWRhOnNlY3JldA=='], ['Digest username="ada"'], ['DPoP good'], ['bearergood']])(
    'treats %s as no token',
    async (authorization) => {
      const { inner, send } = protect()
      const answer = await send({ headers: { authorization } })
      expect(answer.status).toBe(401)
      expect(challengeOf(answer)).not.toContain('error=')
      expect(inner).not.toHaveBeenCalled()
    },
  )

  it.each(['bearer good', 'BEARER good', 'Bearer   good'])(
    'knows the scheme however it is spelled: %s',
    async (authorization) => {
      expect((await protect().send({ headers: { authorization } })).status).toBe(200)
    },
  )

  it.each<[string, FakeRequest]>([
    ['a scheme without a token', { headers: { authorization: 'Bearer' } }],
    ['a scheme and a blank', { headers: { authorization: 'Bearer ' } }],
    ['two words', { headers: { authorization: 'Bearer good good' } }],
    ['a character that no token has', { headers: { authorization: 'Bearer gööd' } }],
    ['a control character', { headers: { authorization: 'Bearer go\u0001od' } }],
    ['two headers', { headers: { authorization: ['Bearer good', 'Bearer good'] } }],
    ['a second token in the query', { query: 'access_token=good', headers: { authorization: 'Bearer good' } }],
  ])('S-AUTH-04 answers 400 to %s', async (_what, request) => {
    const { inner, send } = protect()
    const answer = await send(request)
    expect(answer.status).toBe(400)
    expect(challengeOf(answer)).toContain('Bearer error="invalid_request"')
    expect(inner).not.toHaveBeenCalled()
  })

  it('F137 a token in the query is no token', async () => {
    const { inner, send } = protect()
    expect((await send({ query: 'access_token=good' })).status).toBe(401)
    expect(inner).not.toHaveBeenCalled()
  })

  it.each([
    '/mcp/',
    '//mcp',
    '/MCP',
    '/%6dcp',
    '/mcp/../mcp',
    '/',
    '',
    '/.well-known/oauth-protected-resource/',
    '/.well-known/oauth-protected-resource/mcp/',
    '//.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp/..%2f..%2fmcp',
    '/.WELL-KNOWN/oauth-protected-resource',
  ])('F137 R27 no spelling of a path skips the guard: %j', async (path) => {
    const { inner, send } = protect()
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD']) {
      expect((await send({ method, path })).status).toBe(401)
    }
    expect(inner).not.toHaveBeenCalled()
  })

  it('R30 requires the token at every protocol version', async () => {
    const { inner, send } = protect()
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 'x', undefined]) {
      expect((await send({ headers: { 'mcp-protocol-version': version, 'mcp-session-id': 's' } })).status).toBe(401)
    }
    expect(inner).not.toHaveBeenCalled()
  })

  it.each<[string, Partial<VerifiedToken>]>([
    ['another resource', { resource: 'https://other.example/mcp' }],
    ['a resource whose name begins like ours', { resource: `${RESOURCE}-evil` }],
    ['a parent of the resource', { resource: 'https://notes.example' }],
    ['a child of the resource', { resource: `${RESOURCE}/admin` }],
    ['several others', { resource: ['https://other.example', 'notes'] }],
    ['nobody', { resource: [] }],
    ['nobody, without a word', { resource: undefined as never }],
    ['anybody', { resource: 7 as never }],
  ])('S-AUTH-09 S-AUTH-10 R14 R38 F188 refuses a token for %s, opaque ones too', async (_whom, changes) => {
    const { inner, sendToken } = protect({ verifier: async () => ({ ...GOOD, ...changes }) })
    const answer = await sendToken()
    expect(answer.status).toBe(401)
    expect(challengeOf(answer)).toContain('error="invalid_token"')
    expect(inner).not.toHaveBeenCalled()
  })

  it('finds its own name among several audiences', async () => {
    const verifier = async () => ({ ...GOOD, resource: ['https://other.example', 'HTTPS://Notes.Example:443/mcp'] })
    expect((await protect({ verifier }).sendToken()).status).toBe(200)
  })

  it('goes by the audience that the configuration gives instead of the resource', async () => {
    const verifier = async () => ({ ...GOOD, resource: 'api://notes' })
    expect((await protect({ verifier }).sendToken()).status).toBe(401)
    const { inner, sendToken } = protect({ verifier, audience: 'api://notes' })
    expect((await sendToken()).status).toBe(200)
    expect(inner.mock.calls[0]?.[0]?.resource).toBe(RESOURCE)
  })

  it('R14 rejects a token of another issuer, however similar', async () => {
    for (const issuer of ['https://evil.example', `${ISSUER}/`, 'https://ID.example', '']) {
      expect((await protect({ verifier: async () => ({ ...GOOD, issuer }) }).sendToken()).status).toBe(401)
    }
  })

  it('fills in the issuer if there is only one, and does not guess between two', async () => {
    const { issuer: _, ...unnamed } = GOOD
    const one = protect({ verifier: async () => unnamed })
    expect((await one.sendToken()).status).toBe(200)
    expect(one.inner.mock.calls[0]?.[0]?.issuer).toBe(ISSUER)
    const two = protect({ verifier: async () => unnamed, issuer: [ISSUER, 'https://second.example'] })
    expect((await two.sendToken()).status).toBe(401)
  })

  it('S-AUTH-03 rejects an expired token, also if the verifier did not check it', async () => {
    for (const expiresAt of [Date.now() / 1000 - 1, 0, -1, Number.NaN]) {
      expect((await protect({ verifier: async () => ({ ...GOOD, expiresAt }) }).sendToken()).status).toBe(401)
    }
  })

  it('R35 sends the same response for every invalid token, and the reason only to onRefused', async () => {
    const bad: BearerOptions['verifier'][] = [
      async () => undefined,
      async () => ({ ...GOOD, resource: 'https://other.example' }),
      async () => Promise.reject(new OAuthError('invalid_token', 'kid 7 unknown at https://internal.example/keys')),
    ]
    const answers = new Set<string>()
    for (const verifier of bad) {
      const { sendToken, refusals } = protect({ verifier })
      const { status, body, replyHeaders } = await sendToken()
      answers.add(JSON.stringify({ status, body, replyHeaders }))
      expect(refusals).toEqual([expect.objectContaining({ status: 401, error: 'invalid_token' })])
    }
    expect(answers.size).toBe(1)
    expect([...answers][0]).not.toContain('internal')
  })

  it.each<[string, BearerOptions['verifier']]>([
    [
      'throws',
      () => {
        throw new Error('no route to https://internal.example')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('no route to https://internal.example'))],
    ['rejects with nothing', async () => Promise.reject(undefined)],
    ['fails as a client itself', async () => Promise.reject(new OAuthError('invalid_client', 'internal'))],
    ['answers with half a caller', async () => ({ resource: RESOURCE, issuer: ISSUER }) as never],
  ])('F187 R35 fails closed, with 503 and no detail, when the verifier %s', async (_what, verifier) => {
    const { inner, sendToken, refusals } = protect({ verifier })
    const answer = await sendToken()
    expect(answer.status).toBe(503)
    expect(challengeOf(answer)).toBeUndefined()
    expect(answer.body).not.toContain('internal')
    expect(inner).not.toHaveBeenCalled()
    expect(refusals).toHaveLength(1)
  })

  it('does not wait for a verifier that hangs, and aborts its signal', async () => {
    let signal: AbortSignal | undefined
    const verifier: BearerOptions['verifier'] = (_token, context) => {
      signal = context.signal
      return new Promise(() => {})
    }
    const answer = await protect({ verifier, verifyTimeoutMs: 5 }).sendToken()
    expect(answer.status).toBe(503)
    expect(signal?.aborted).toBe(true)
  })

  it('leaves no timer behind', async () => {
    vi.useFakeTimers()
    await protect().sendToken()
    await protect({ verifier: async () => undefined }).sendToken()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('F187 never shows a token of 64 KiB to the verifier', async () => {
    const verify = vi.fn(async () => GOOD)
    const answer = await protect({ verifier: verify }).sendToken('a'.repeat(65_536))
    expect(answer.status).toBe(401)
    expect(verify).not.toHaveBeenCalled()
  })

  it('S-AUTH-04 answers 403 to a token without the scopes that every request needs, and names them all', async () => {
    const { inner, sendToken } = protect({ scopes: ['notes', 'profile'] })
    const answer = await sendToken()
    expect(answer.status).toBe(403)
    expect(challengeOf(answer)).toMatch(/^Bearer error="insufficient_scope", /)
    expect(challengeOf(answer)).toContain(`resource_metadata="${METADATA_URL}"`)
    expect(challengeOf(answer)).toContain('scope="notes profile"')
    expect(inner).not.toHaveBeenCalled()
  })

  it('S-AUTH-11 honours scopes that include others, through several steps and in circles', async () => {
    const { inner, sendToken } = protect({
      verifier: async () => ({ ...GOOD, scopes: ['admin'] }),
      impliedScopes: { admin: ['write'], write: ['notes'], notes: ['admin'] },
    })
    expect((await sendToken()).status).toBe(200)
    expect(inner.mock.calls[0]?.[0]?.scopes).toEqual(['admin', 'write', 'notes'])
  })

  it('lets the server challenge for more scopes, along with those that every request needs', async () => {
    const server: HttpHandler = (exchange) => {
      exchange.reply(403, undefined, {
        'www-authenticate': exchange.challengeScopes?.(['notes:write', 'bad"scope']) ?? '',
      })
    }
    const exchange = new FakeExchange({ headers: { authorization: 'Bearer good' } })
    await requireBearer(server, { resource: RESOURCE, issuer: ISSUER, verifier: async () => GOOD, scopes: ['notes'] })(
      exchange,
    )
    expect(challengeOf(exchange)).toContain('error="insufficient_scope"')
    expect(challengeOf(exchange)).toContain('scope="notes notes:write"')
  })

  it('answers a preflight without a token, and lets a browser read the refusal', async () => {
    const { inner, send } = protect()
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    expect((await send({ method: 'OPTIONS', headers })).status).toBe(200)
    expect(inner).toHaveBeenCalledExactlyOnceWith(undefined)
    const refused = await send({ headers: { origin: 'https://app.example' } })
    expect(refused.replyHeaders['access-control-allow-origin']).toBe('*')
    expect(refused.replyHeaders['access-control-expose-headers']).toContain('WWW-Authenticate')
  })

  it('takes no other request for a preflight', async () => {
    const { send } = protect()
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    expect((await send({ method: 'POST', headers })).status).toBe(401)
    expect((await send({ method: 'OPTIONS', headers: { origin: 'https://app.example' } })).status).toBe(401)
  })

  it('hands on what the server throws, and does not take it for a bad token', async () => {
    const handler = requireBearer(
      () => {
        throw new OAuthError('invalid_token', 'of somebody else')
      },
      { resource: RESOURCE, issuer: ISSUER, verifier: async () => GOOD },
    )
    const exchange = new FakeExchange({ headers: { authorization: 'Bearer good' } })
    await expect(handler(exchange)).rejects.toThrow('of somebody else')
    expect(exchange.isAnswered).toBe(false)
  })

  it('passes close on, where there is something to close', async () => {
    const close = vi.fn(async () => {})
    const options = { resource: RESOURCE, issuer: ISSUER, verifier: async () => GOOD }
    await requireBearer(
      Object.assign(() => {}, { close }),
      options,
    ).close?.({ drainMs: 5 })
    expect(close).toHaveBeenCalledExactlyOnceWith({ drainMs: 5 })
    expect(requireBearer(() => {}, options).close).toBeUndefined()
  })

  it('is not disturbed by a listener that throws', async () => {
    const onRefused = () => {
      throw new Error('log is full')
    }
    expect((await protect({ onRefused }).send()).status).toBe(401)
  })

  it('R49 does not reveal the token: not in the response, not in the refusal', async () => {
    const token = 'SECRET.TOKEN'
    const { sendToken, refusals } = protect({ verifier: async () => Promise.reject(new Error('down')) })
    const answer = await sendToken(token)
    expect(inspect([answer.body, answer.replyHeaders, refusals], { depth: 9 })).not.toContain('SECRET')
  })

  it('S-AUTH-08 rejects every header that is not exactly one valid token', async () => {
    const { inner, send } = protect({ verifier: async (token) => (token === 'good' ? GOOD : undefined) })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `Bearer ${text}`),
        ),
        async (authorization) => {
          fc.pre(!/^bearer +good$/i.test(authorization))
          const { status } = await send({ headers: { authorization } })
          expect([400, 401]).toContain(status)
        },
      ),
      { seed: 7, numRuns: 300 },
    )
    expect(inner).not.toHaveBeenCalled()
  })
})

describe('the metadata of a protected resource', () => {
  const get = (path: string, changes: Partial<BearerOptions> = {}, method = 'GET') =>
    protect(changes).send({ method, path })

  it.each([['/.well-known/oauth-protected-resource/mcp'], ['/.well-known/oauth-protected-resource']])(
    'is public at %s',
    async (path) => {
      const answer = await get(path)
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual({
        resource: RESOURCE,
        authorization_servers: [ISSUER],
        scopes_supported: ['notes'],
        bearer_methods_supported: ['header'],
      })
      expect(answer.replyHeaders).toMatchObject({
        'content-type': 'application/json',
        'access-control-allow-origin': '*',
      })
    },
  )

  it('has one place for a server at the root', async () => {
    const changes = { resource: 'https://notes.example/' }
    const answer = await get('/.well-known/oauth-protected-resource', changes)
    expect(answer.json).toMatchObject({ resource: 'https://notes.example' })
    expect(challengeOf(await protect(changes).send())).toContain(
      'resource_metadata="https://notes.example/.well-known/oauth-protected-resource"',
    )
  })

  it('contains what the configuration adds', async () => {
    const answer = await get('/.well-known/oauth-protected-resource', {
      issuer: [ISSUER, 'https://second.example/t'],
      scopes: [],
      dpop: { required: true, algorithms: ['ES256'] },
      metadata: {
        name: 'Notes',
        documentationUrl: 'https://notes.example/docs',
        policyUrl: 'https://notes.example/policy',
        termsUrl: 'https://notes.example/terms',
        scopes: ['notes:read'],
      },
    })
    expect(answer.json).toEqual({
      resource: RESOURCE,
      authorization_servers: [ISSUER, 'https://second.example/t'],
      scopes_supported: ['notes:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Notes',
      resource_documentation: 'https://notes.example/docs',
      resource_policy_uri: 'https://notes.example/policy',
      resource_tos_uri: 'https://notes.example/terms',
      dpop_signing_alg_values_supported: ['ES256'],
      dpop_bound_access_tokens_required: true,
    })
  })

  it('answers HEAD and preflights, and takes nothing', async () => {
    const path = '/.well-known/oauth-protected-resource/mcp'
    const head = await get(path, {}, 'HEAD')
    expect([head.status, head.body]).toEqual([200, undefined])
    const preflight = await get(path, {}, 'OPTIONS')
    expect(preflight.status).toBe(204)
    expect(preflight.replyHeaders).toMatchObject({ 'access-control-allow-origin': '*' })
    const post = await get(path, {}, 'POST')
    expect([post.status, post.replyHeaders['allow']]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})
