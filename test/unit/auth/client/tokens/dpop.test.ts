// Tokens bound to a key: a fresh proof for every request, a nonce where one is demanded, and never a way back to plain tokens.
import { createHash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import { memoryTokenStore } from 'mcpwire/auth'
import { describe, expect, it } from 'vitest'
import { json, ScriptedOAuth, type ScriptedReply, type ScriptedRequest } from '../../../../support/scripted-oauth.ts'
import { browsingProvider, createCaller, setUp } from '../login-support.ts'

const TOKEN_ROUTE = 'POST https://as.example.com/token'
const RESOURCE_ROUTE = 'POST https://mcp.example.com/mcp'

/** Tokens of the right type, as a server gives them that understood the proof. */
function bind(as: ScriptedOAuth): void {
  as.routes.set(TOKEN_ROUTE, (request) => bound(as.issueTokens(request)))
}

function bound(reply: ScriptedReply): ScriptedReply {
  return reply.status === 200 ? { ...reply, body: { ...(reply.body as object), token_type: 'DPoP' } } : reply
}

const proofsOf = (requests: ScriptedRequest[]) => requests.map(({ headers }) => headers['dpop'] ?? '').filter(Boolean)

describe('DPoP', () => {
  it('C-XA-07 proves the key at the token endpoint and with every request', async () => {
    const { as, call } = setUp(bind, { dpop: true })
    await call()
    await call()
    const [token] = as.sent('/token')
    const calls = as.calls.slice(1)
    const accessToken = calls[0]!.headers['authorization']!.replace('DPoP ', '')
    const proofs = proofsOf([token!, ...calls])
    const payloads = await Promise.all(proofs.map(async (proof) => (await jwtVerify(proof, EmbeddedJWK)).payload))
    expect(payloads[0]).toMatchObject({ htm: 'POST', htu: 'https://as.example.com/token' })
    const ath = createHash('sha256').update(accessToken).digest('base64url')
    expect(payloads[1]).toMatchObject({ htm: 'POST', htu: as.resource, ath })
    expect(new Set(payloads.map(({ jti }) => jti)).size).toBe(3)
    expect(new Set(proofs.map((proof) => JSON.stringify(decodeProtectedHeader(proof).jwk))).size).toBe(1)
    expect(decodeProtectedHeader(proofs[0]!)).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' })
  })

  it('C-XA-08 repeats a request once with the nonce that was demanded', async () => {
    const { as, call } = setUp(
      (as) => {
        const isWithNonce = ({ headers }: ScriptedRequest, nonce: string) =>
          decodeJwt(headers['dpop']!)['nonce'] === nonce
        as.routes.set(TOKEN_ROUTE, (request) => {
          if (isWithNonce(request, 'n-as')) return bound(as.issueTokens(request))
          return {
            ...json(400, { error: 'use_dpop_nonce' }),
            headers: { 'content-type': 'application/json', 'dpop-nonce': 'n-as' },
          }
        })
        as.routes.set(RESOURCE_ROUTE, (request) => {
          if (request.headers['dpop'] === undefined)
            return { status: 401, headers: { 'www-authenticate': 'DPoP algs="ES256"' } }
          if (isWithNonce(request, 'n-rs')) return json(200, {})
          return { status: 401, headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n-rs' } }
        })
      },
      { dpop: true },
    )
    expect((await call()).status).toBe(200)
    expect((await call()).status).toBe(200)
    expect(as.sent('/token')).toHaveLength(2)
    expect(as.calls).toHaveLength(4)
  })

  it('F189 a nonce that is demanded for ever is given up on', async () => {
    const { as, call } = setUp(
      (as) => {
        bind(as)
        as.routes.set(RESOURCE_ROUTE, ({ headers }) => ({
          status: 401,
          headers: {
            'www-authenticate': headers['dpop'] === undefined ? 'DPoP' : 'DPoP error="use_dpop_nonce"',
            'dpop-nonce': `n-${as.requests.length}`,
          },
        }))
      },
      { dpop: true },
    )
    await expect(call()).rejects.toMatchObject({ name: 'OAuthError', code: 'unauthorized' })
    expect(as.authorizations).toHaveLength(1)
    expect(as.calls.length).toBeLessThan(6)
  })

  it('C-XA-09 rejects a token that is not bound, and a server that takes other algorithms only', async () => {
    const unbound = setUp(undefined, { dpop: true })
    await expect(unbound.call()).rejects.toMatchObject({ code: 'invalid_token_response' })
    const other = setUp((as) => (as.serverMetadata['dpop_signing_alg_values_supported'] = ['HS256']), { dpop: true })
    await expect(other.call()).rejects.toMatchObject({ code: 'dpop_not_supported' })
    expect(other.as.authorizations).toHaveLength(0)
  })

  it('keeps the key with the tokens, for the next run', async () => {
    const store = memoryTokenStore()
    const as = new ScriptedOAuth()
    bind(as)
    await createCaller(as, browsingProvider(as, { dpop: true, store })).call()
    as.revokeAccess()
    expect((await createCaller(as, browsingProvider(as, { dpop: true, store })).call()).status).toBe(200)
    const keys = proofsOf(as.requests).map((proof) => JSON.stringify(decodeProtectedHeader(proof).jwk))
    expect(new Set(keys).size).toBe(1)
    expect(as.authorizations).toHaveLength(1)
  })
})
