import { createHmac, generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { requireBearer } from '../../../../src/auth/server/bearer.ts'
import type { BearerOptions } from '../../../../src/auth/server/bearer-options.ts'
import type { VerifyContext } from '../../../../src/auth/server/verifier.ts'
import { type JwtVerifierOptions, jwtVerifier, RecentTokens } from '../../../../src/auth/server/verify-jwt.ts'
import { OAuthError, TransportError } from '../../../../src/types/errors/failures.ts'
import { FakeExchange } from '../../../support/fake-exchange.ts'
import {
  claimsWith,
  ISSUER,
  keySet,
  makeKey,
  RESOURCE,
  type SigningKey,
  signToken,
} from '../../../support/token-maker.ts'

const JWKS_URI = 'https://id.example/keys'
const context: VerifyContext = {
  resource: RESOURCE,
  audiences: [RESOURCE],
  issuers: [ISSUER],
  signal: new AbortController().signal,
}

let key: SigningKey

beforeAll(async () => {
  key = await makeKey('first')
})

afterEach(() => {
  vi.useRealTimers()
})

const verify = (token: string, options: Partial<JwtVerifierOptions> = {}) =>
  jwtVerifier({ issuer: ISSUER, jwks: keySet(key), ...options }).verify(token, context)

/** An issuer that serves these documents, and counts how often it was asked. */
function serving(documents: Record<string, () => unknown>) {
  const fetch = vi.fn(async (input: unknown) => {
    const make = documents[String(input)]
    if (make === undefined) return new Response('nothing here', { status: 404 })
    const value = make()
    return value instanceof Response ? value : Response.json(value)
  })
  return fetch as typeof fetch & typeof globalThis.fetch
}

const remote = (fetch: typeof globalThis.fetch, options: Partial<JwtVerifierOptions> = {}) =>
  jwtVerifier({ issuer: ISSUER, jwksUri: JWKS_URI, fetch, ...options })

const refused = expect.objectContaining({ name: 'OAuthError', code: 'invalid_token' })

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('jwtVerifier', () => {
  it('reads who is calling from a good token', async () => {
    const verified = await verify(await signToken(key))
    expect(verified).toMatchObject({
      clientId: 'notebook',
      scopes: ['notes:read', 'notes:write'],
      resource: RESOURCE,
      issuer: ISSUER,
      subject: 'ada',
      claims: { client_id: 'notebook' },
    })
  })

  it.each([
    ['azp of OpenID Connect', { client_id: undefined, azp: 'notebook' }, { clientId: 'notebook' }],
    [
      'cid and scp as a list',
      { client_id: undefined, scope: undefined, cid: 'c', scp: ['a', 'b'] },
      { clientId: 'c', scopes: ['a', 'b'] },
    ],
    [
      'appid and scp as text',
      { client_id: undefined, scope: undefined, appid: 'c', scp: 'a b' },
      { clientId: 'c', scopes: ['a', 'b'] },
    ],
    ['no scopes at all', { scope: undefined }, { scopes: [] }],
    ['several audiences', { aud: ['x', RESOURCE] }, { resource: ['x', RESOURCE] }],
    ['a bound key', { cnf: { jkt: 'x' } }, { confirmation: { jkt: 'x' } }],
  ])('understands %s', async (_what, claims, expected) => {
    expect(await verify(await signToken(key, claims))).toMatchObject(expected)
  })

  it.each<[string, Record<string, unknown>]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['of an issuer with one slash more', { iss: `${ISSUER}/` }],
    ['of no issuer', { iss: undefined }],
    ['for another audience', { aud: 'https://other.example/mcp' }],
    ['for an audience that begins like ours', { aud: `${RESOURCE}-evil` }],
    ['for several others', { aud: ['https://other.example', 'https://notes.example'] }],
    ['for nobody', { aud: undefined }],
    ['for something that is no name', { aud: { url: RESOURCE } }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 10 }],
    ['that never expires', { exp: undefined }],
    ['with an expiry that is text', { exp: '9999999999' }],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 3_600 }],
    ['without a client', { client_id: undefined }],
    ['with a client that is no text', { client_id: 7 }],
    ['with a subject that is no text', { sub: ['ada'] }],
    ['with scopes that are no text', { scope: { admin: true } }],
    ['bound to nonsense', { cnf: 'key' }],
  ])('F187 F188 R14 refuses a token %s', async (_what, claims) => {
    await expect(verify(await signToken(key, claims))).rejects.toEqual(refused)
  })

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['an ID token with a nonce', { typ: 'JWT' }, { nonce: 'n' }],
    ['an ID token with a hash', { typ: undefined }, { at_hash: 'h' }],
    ['a logout token', { typ: 'logout+jwt' }, {}],
    ['a DPoP proof', { typ: 'dpop+jwt' }, {}],
    ['an identity assertion', { typ: 'oauth-id-jag+jwt' }, {}],
  ])('F187 refuses %s', async (_what, header, claims) => {
    await expect(verify(await signToken(key, claims, header))).rejects.toEqual(refused)
  })

  it.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', undefined])(
    'takes an access token of type %s',
    async (typ) => {
      const header = typ === undefined ? { typ: undefined as never } : { typ }
      await expect(verify(await signToken(key, {}, header))).resolves.toBeDefined()
    },
  )

  it('F187 rejects alg none, with and without a signature', async () => {
    const body = `${encoded({ alg: 'none', typ: 'at+jwt' })}.${encoded(claimsWith())}`
    await expect(verify(`${body}.`)).rejects.toEqual(refused)
    await expect(verify(`${body}.AAAA`)).rejects.toEqual(refused)
  })

  it('F187 rejects HS256 with the public key as the secret', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'rsa', kty: 'RSA' }
    const body = `${encoded({ alg: 'HS256', kid: 'rsa', typ: 'at+jwt' })}.${encoded(claimsWith())}`
    for (const secret of [publicKey.export({ type: 'spki', format: 'pem' }), JSON.stringify(jwk)]) {
      const signature = createHmac('sha256', secret).update(body).digest('base64url')
      await expect(verify(`${body}.${signature}`, { jwks: { keys: [jwk] } })).rejects.toEqual(refused)
    }
  })

  it('F187 rejects an unknown critical header, a foreign signature, a changed claim and rubbish', async () => {
    const token = await signToken(key)
    const [header, , signature] = token.split('.')
    const other = await makeKey('first')
    await expect(verify(await signToken(other))).rejects.toEqual(refused)
    await expect(verify(`${header}.${encoded(claimsWith({ sub: 'eve' }))}.${signature}`)).rejects.toEqual(refused)
    const critical = `${encoded({ alg: 'ES256', kid: 'first', crit: ['magic'], magic: 1 })}.${encoded(claimsWith())}.AAAA`
    for (const rubbish of [critical, '', 'x', 'a.b', 'a.b.c', '....', `${token}.x`, 'good']) {
      await expect(verify(rubbish)).rejects.toEqual(refused)
    }
  })

  it('rejects an algorithm that was not chosen', async () => {
    await expect(verify(await signToken(key), { algorithms: ['RS256'] })).rejects.toEqual(refused)
  })

  it('allows for clocks that differ, within limits', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const token = await signToken(key, { exp: Math.floor(Date.now() / 1000) - 10 })
    const verified = await verify(token, { clockToleranceSeconds: 30 })
    expect(verified?.expiresAt).toBeGreaterThan(Date.now() / 1000)
    expect(() => jwtVerifier({ issuer: ISSUER, clockToleranceSeconds: 61 })).toThrow(RangeError)
    expect(() => jwtVerifier({ issuer: ISSUER, clockToleranceSeconds: -1 })).toThrow(RangeError)
  })

  it.each<[string, Record<string, unknown>]>([
    ['without an issuer', { issuer: undefined }],
    ['with an issuer on plain http', { issuer: 'http://id.example' }],
    ['with keys over plain http', { jwksUri: 'http://id.example/keys' }],
    ['with keys from a file', { jwksUri: 'file:///etc/keys' }],
    ['with keys twice', { jwks: { keys: [] }, jwksUri: JWKS_URI }],
    ['with no algorithm', { algorithms: [] }],
    ['with a shared secret', { algorithms: ['HS256'] }],
    ['with no signature', { algorithms: ['none'] }],
  ])('R14 cannot be built %s', (_what, options) => {
    expect(() => jwtVerifier({ issuer: ISSUER, ...options } as JwtVerifierOptions)).toThrow()
  })
})

describe('tokens that were verified a moment ago', () => {
  it('are not verified again, but still looked at', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const fetch = serving({ [JWKS_URI]: () => keySet(key) })
    const { verify } = remote(fetch, { keysMaxAgeMs: 0, rememberMs: 10_000, clockToleranceSeconds: 0 })
    const token = await signToken(key)
    for (let i = 0; i < 5; i++) await verify(token, context)
    expect(fetch).toHaveBeenCalledTimes(1)
    await expect(verify(token, { ...context, audiences: ['https://other.example'] })).rejects.toEqual(refused)
    vi.advanceTimersByTime(10_000)
    await verify(token, context)
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('meet all checks of a server that asks for what it remembers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const verifier = jwtVerifier({ issuer: ISSUER, jwks: keySet(key), clockToleranceSeconds: 0 })
    const token = await signToken(key, { exp: Math.floor(Date.now() / 1000) + 10 })
    const statusAt = async (options: Partial<BearerOptions> = {}) => {
      const handler = requireBearer((exchange) => exchange.reply(200, 'inside'), {
        resource: RESOURCE,
        issuer: ISSUER,
        verifier,
        ...options,
      })
      const exchange = new FakeExchange({ headers: { authorization: `Bearer ${token}` } })
      await handler(exchange)
      return exchange.status
    }
    expect(await statusAt()).toBe(200)
    expect(await statusAt()).toBe(200)
    expect(await statusAt({ audience: 'https://other.example' })).toBe(401)
    expect(await statusAt({ issuer: 'https://other.example' })).toBe(401)
    expect(await statusAt({ scopes: ['notes:remove'] })).toBe(403)
    const stricter = vi.fn(async () => undefined)
    expect(await statusAt({ verifier: { ...verifier, verify: stricter } })).toBe(401)
    expect(stricter).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(10_000)
    expect(await statusAt()).toBe(401)
  })

  it('are forgotten when they expire', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const token = await signToken(key, { exp: Math.floor(Date.now() / 1000) + 10 })
    const { verify } = jwtVerifier({ issuer: ISSUER, jwks: keySet(key), clockToleranceSeconds: 0 })
    await expect(verify(token, context)).resolves.toBeDefined()
    vi.advanceTimersByTime(10_000)
    await expect(verify(token, context)).rejects.toEqual(refused)
  })

  it('are forgotten in turn, past a thousand of them', () => {
    const recent = new RecentTokens<number>(1_000)
    for (let i = 0; i <= 1_000; i++) recent.add(`token-${i}`, i, Infinity)
    expect(recent.get('token-0')).toBeUndefined()
    expect(recent.get('token-1')).toBe(1)
    expect(recent.get('token-1000')).toBe(1_000)
    recent.add('x'.repeat(4_097), 1, Infinity)
    expect(recent.get('x'.repeat(4_097))).toBeUndefined()
  })

  it('cannot be changed by code that reads their claims', async () => {
    const verified = await verify(await signToken(key))
    expect(() => Object.assign(verified?.claims ?? {}, { sub: 'eve' })).toThrow(TypeError)
  })
})

describe('keys that are fetched', () => {
  it('are fetched once, and kept', async () => {
    const fetch = serving({ [JWKS_URI]: () => keySet(key) })
    const { verify } = remote(fetch)
    const tokens = await Promise.all([signToken(key), signToken(key), signToken(key)])
    await Promise.all(tokens.map((token) => verify(token, context)))
    await verify(await signToken(key), context)
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('F187 are fetched again when they rotate', async () => {
    const next = await makeKey('second')
    let keys = keySet(key)
    const fetch = serving({ [JWKS_URI]: () => keys })
    const { verify } = remote(fetch, { keysCooldownMs: 0 })
    await verify(await signToken(key), context)
    keys = keySet(next)
    await expect(verify(await signToken(next), context)).resolves.toBeDefined()
    await expect(verify(await signToken(key), context)).rejects.toEqual(refused)
  })

  it('F187 are not fetched for each of 1,000 unknown key ids', async () => {
    const fetch = serving({ [JWKS_URI]: () => keySet(key) })
    const { verify } = remote(fetch)
    const token = await signToken(key)
    const rest = token.slice(token.indexOf('.'))
    for (let i = 0; i < 1_000; i++) {
      const header = encoded({ alg: 'ES256', typ: 'at+jwt', kid: `random-${i}` })
      await expect(verify(`${header}${rest}`, context)).rejects.toEqual(refused)
    }
    expect(fetch.mock.calls.length).toBeLessThanOrEqual(2)
  })

  it("F187 are an error that is not the token's fault while they cannot be had, and are not asked for at every request", async () => {
    const fetch = serving({ [JWKS_URI]: () => new Response('down', { status: 500 }) })
    const { verify } = remote(fetch)
    const token = await signToken(key)
    for (let i = 0; i < 50; i++) await expect(verify(token, context)).rejects.not.toBeInstanceOf(OAuthError)
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('are found again after an outage', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] })
    let isUp = false
    const fetch = serving({ [JWKS_URI]: () => (isUp ? keySet(key) : new Response(null, { status: 503 })) })
    const { verify } = remote(fetch)
    const token = await signToken(key)
    await expect(verify(token, context)).rejects.toBeInstanceOf(TransportError)
    isUp = true
    vi.advanceTimersByTime(2_001)
    await expect(verify(token, context)).resolves.toBeDefined()
  })

  it.each<[string, () => unknown]>([
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })],
    ['HTML', () => new Response('<html>')],
    ['no key set', () => ({ keys: 'none' })],
    ['more than a megabyte', () => new Response('x'.repeat(1_048_577))],
    [
      'an exception',
      () => {
        throw new TypeError('fetch failed')
      },
    ],
  ])('are an error when the answer is %s', async (_what, answer) => {
    const fetch = serving({ [JWKS_URI]: answer })
    await expect(remote(fetch).verify(await signToken(key), context)).rejects.not.toBeInstanceOf(OAuthError)
    expect(fetch).toHaveBeenCalledTimes(1)
    expect(fetch.mock.calls[0]?.[1 as never]).toMatchObject({ redirect: 'manual' })
  })

  it('are not waited for longer than allowed', async () => {
    const fetch = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    const { verify } = remote(fetch as typeof globalThis.fetch, { timeoutMs: 5 })
    await expect(verify(await signToken(key), context)).rejects.toThrow('5 ms')
  })
})

describe('keys that are discovered', () => {
  const discovered = (fetch: typeof globalThis.fetch, issuer = ISSUER) => jwtVerifier({ issuer, fetch })

  it.each([
    ['RFC 8414', ISSUER, `${ISSUER}/.well-known/oauth-authorization-server`],
    ['OpenID Connect', ISSUER, `${ISSUER}/.well-known/openid-configuration`],
    ['RFC 8414 with a path', `${ISSUER}/t`, `${ISSUER}/.well-known/oauth-authorization-server/t`],
    ['OpenID Connect with a path', `${ISSUER}/t`, `${ISSUER}/t/.well-known/openid-configuration`],
  ])('are found through the metadata of %s', async (_what, issuer, place) => {
    const fetch = serving({ [place]: () => ({ issuer, jwks_uri: JWKS_URI }), [JWKS_URI]: () => keySet(key) })
    const { verify } = discovered(fetch, issuer)
    await expect(verify(await signToken(key, { iss: issuer }), context)).resolves.toBeDefined()
    const asked = fetch.mock.calls.length
    await verify(await signToken(key, { iss: issuer }), context)
    expect(fetch.mock.calls.length).toBe(asked)
  })

  it.each<[string, () => unknown]>([
    ['another issuer', () => ({ issuer: 'https://evil.example', jwks_uri: JWKS_URI })],
    ['an issuer with one slash more', () => ({ issuer: `${ISSUER}/`, jwks_uri: JWKS_URI })],
    ['no keys', () => ({ issuer: ISSUER })],
    ['keys over plain http', () => ({ issuer: ISSUER, jwks_uri: 'http://id.example/keys' })],
    ['keys in a file', () => ({ issuer: ISSUER, jwks_uri: 'file:///keys' })],
    ['an error', () => new Response(null, { status: 500 })],
    ['nothing', () => new Response(null, { status: 404 })],
  ])('F174 are not taken from metadata with %s', async (_what, metadata) => {
    const fetch = serving({
      [`${ISSUER}/.well-known/oauth-authorization-server`]: metadata,
      [JWKS_URI]: () => keySet(key),
    })
    const { verify } = discovered(fetch)
    const token = await signToken(key)
    await expect(verify(token, context)).rejects.not.toBeInstanceOf(OAuthError)
    const asked = fetch.mock.calls.length
    await expect(verify(token, context)).rejects.toThrow()
    expect(fetch.mock.calls.length).toBe(asked)
    expect(fetch).not.toHaveBeenCalledWith(JWKS_URI, expect.anything())
  })
})
