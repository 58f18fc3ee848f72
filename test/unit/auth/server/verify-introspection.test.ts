import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import type { VerifyContext } from '../../../../src/auth/server/verifier.ts'
import {
  type IntrospectionVerifierOptions,
  introspectionVerifier,
} from '../../../../src/auth/server/verify-introspection.ts'
import { OAuthError } from '../../../../src/types/errors/failures.ts'
import { claimsWith, ISSUER, RESOURCE } from '../../../support/token-maker.ts'

const ENDPOINT = 'https://id.example/introspect'
const context: VerifyContext = {
  resource: RESOURCE,
  audiences: [RESOURCE],
  issuers: [ISSUER],
  signal: new AbortController().signal,
}

const answering = (answer: () => unknown) =>
  vi.fn<typeof globalThis.fetch>(async () => {
    const value = answer()
    return value instanceof Response ? value : Response.json(value)
  })

function verifierFor(fetch: typeof globalThis.fetch, options: Partial<IntrospectionVerifierOptions> = {}) {
  const credentials = { clientId: 'notes', clientSecret: 'hush:hush' }
  return introspectionVerifier({ issuer: ISSUER, endpoint: ENDPOINT, ...credentials, fetch, ...options })
}

const verify = (answer: Record<string, unknown>) =>
  verifierFor(answering(() => ({ active: true, ...claimsWith(answer) }))).verify('opaque', context)

const refused = expect.objectContaining({ name: 'OAuthError', code: 'invalid_token' })

describe('introspectionVerifier', () => {
  it('asks the authorization server, as itself, and reads the caller from the answer', async () => {
    const fetch = answering(() => ({ active: true, token_type: 'Bearer', ...claimsWith() }))
    await expect(verifierFor(fetch).verify('opaque', context)).resolves.toMatchObject({
      clientId: 'notebook',
      scopes: ['notes:read', 'notes:write'],
      resource: RESOURCE,
      issuer: ISSUER,
      subject: 'ada',
    })
    const [url, init] = fetch.mock.calls[0] ?? []
    expect(url).toBe(ENDPOINT)
    expect(String(init?.body)).toContain('token=opaque')
    const authorization = new Headers(init?.headers).get('authorization')
    expect(authorization).toBe(`Basic ${btoa('notes:hush%3Ahush')}`)
  })

  it('sends its credentials in the body where the server wants them there', async () => {
    const fetch = answering(() => ({ active: true, ...claimsWith() }))
    await verifierFor(fetch, { clientAuth: 'post' }).verify('opaque', context)
    const init = fetch.mock.calls[0]?.[1]
    expect(String(init?.body)).toContain('client_secret=hush%3Ahush')
    expect(new Headers(init?.headers).has('authorization')).toBe(false)
  })

  it('does not know a token that is not active', async () => {
    const fetch = answering(() => ({ ...claimsWith(), active: false }))
    await expect(verifierFor(fetch).verify('opaque', context)).resolves.toBeUndefined()
  })

  it('introspects every time, so that a revoked token is rejected at once', async () => {
    let active = true
    const { verify } = verifierFor(answering(() => ({ active, ...claimsWith() })))
    await expect(verify('opaque', context)).resolves.toBeDefined()
    active = false
    await expect(verify('opaque', context)).resolves.toBeUndefined()
  })

  it('takes an answer that names no issuer for the one that was asked', async () => {
    await expect(verify({ iss: undefined })).resolves.toMatchObject({ issuer: ISSUER })
  })

  it.each<[string, Record<string, unknown>]>([
    ['for another resource', { aud: 'https://other.example/mcp' }],
    ['for a resource that begins like ours', { aud: `${RESOURCE}-evil` }],
    ['for nobody', { aud: undefined }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['that is not valid yet', { nbf: Date.now() / 1000 + 3_600 }],
    ['that is a refresh token', { token_type: 'Refresh' }],
    ['of an unknown type', { token_type: 'mac' }],
    ['without a client', { client_id: undefined }],
  ])('R14 F188 refuses an active token %s', async (_what, answer) => {
    await expect(verify(answer)).rejects.toEqual(refused)
  })

  it.each<[string, () => unknown]>([
    ['401, because our own credentials are wrong', () => Response.json({ error: 'invalid_client' }, { status: 401 })],
    ['500', () => new Response('stack trace', { status: 500 })],
    ['HTML', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['JSON without active', () => ({ yes: true })],
    ['active as text', () => ({ ...claimsWith(), active: 'true' })],
    ['a redirect', () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } })],
    ['more than a megabyte', () => ({ active: true, padding: 'x'.repeat(1_048_576) })],
    [
      'an exception',
      () => {
        throw new TypeError('fetch failed')
      },
    ],
  ])('F187 fails, and does not blame the token, when the answer is %s', async (_what, answer) => {
    const fetch = answering(answer)
    await expect(verifierFor(fetch).verify('opaque', context)).rejects.not.toBeInstanceOf(OAuthError)
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it.each<[string, Record<string, unknown>]>([
    ['without an issuer', { issuer: undefined }],
    ['without an endpoint', { endpoint: undefined }],
    ['with an endpoint on plain http', { endpoint: 'http://id.example/introspect' }],
    ['without credentials', { clientSecret: undefined }],
    ['with an empty client id', { clientId: '' }],
  ])('R14 cannot be built %s', (_what, options) => {
    const fetch = answering(() => ({}))
    expect(() => verifierFor(fetch, options as Partial<IntrospectionVerifierOptions>)).toThrow(/introspectionVerifier/)
  })

  it('R49 does not reveal its secret', async () => {
    const verifier = verifierFor(
      answering(() => new Response(null, { status: 401 })),
      { clientSecret: 'SECRET' },
    )
    const error = await verifier.verify('opaque-SECRET', context).catch((thrown: unknown) => thrown)
    expect(inspect([verifier, error], { depth: 9, showHidden: true })).not.toContain('SECRET')
    expect(JSON.stringify([verifier, error])).not.toContain('SECRET')
  })
})
