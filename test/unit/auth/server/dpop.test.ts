import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { requireBearer } from '../../../../src/auth/server/bearer.ts'
import type { BearerOptions, BearerRefusal } from '../../../../src/auth/server/bearer-options.ts'
import { createProofMemory } from '../../../../src/auth/server/dpop.ts'
import { jwtVerifier } from '../../../../src/auth/server/verify-jwt.ts'
import { LimitError } from '../../../../src/types/errors/failures.ts'
import { FakeExchange, type FakeRequest } from '../../../support/fake-exchange.ts'
import {
  ISSUER,
  keySet,
  makeKey,
  type ProofParts,
  RESOURCE,
  type SigningKey,
  signProof,
  signToken,
} from '../../../support/token-maker.ts'

const NONCE_SECRET = 'a secret that is longer than thirty-two bytes'

let issuerKey: SigningKey
let callerKey: SigningKey
let otherKey: SigningKey
/** Bound to the caller's key. */
let token: string
let unboundToken: string

beforeAll(async () => {
  issuerKey = await makeKey()
  callerKey = await makeKey()
  otherKey = await makeKey()
  token = await signToken(issuerKey, { cnf: { jkt: callerKey.thumbprint } })
  unboundToken = await signToken(issuerKey)
})

afterEach(() => {
  vi.useRealTimers()
})

function protect(dpop: BearerOptions['dpop'] = true) {
  const refusals: BearerRefusal[] = []
  const handler = requireBearer((exchange) => exchange.reply(200), {
    resource: RESOURCE,
    issuer: ISSUER,
    verifier: jwtVerifier({ issuer: ISSUER, jwks: keySet(issuerKey) }),
    onRefused: (refusal) => refusals.push(refusal),
    ...(dpop !== undefined && { dpop }),
  })
  async function send(authorization: string, proof?: string | readonly string[], request: FakeRequest = {}) {
    const exchange = new FakeExchange({ ...request, headers: { authorization, dpop: proof } })
    await handler(exchange)
    return exchange
  }
  const sendProof = async (parts: Partial<ProofParts> = {}, key = callerKey) =>
    send(`DPoP ${token}`, await signProof(key, { token, ...parts }))
  return { refusals, send, sendProof }
}

const challengeOf = ({ replyHeaders }: FakeExchange) => replyHeaders['www-authenticate']
const seconds = () => Math.floor(Date.now() / 1000)

describe('requireBearer with DPoP', () => {
  it('lets a bound token in with a proof of its key', async () => {
    expect((await protect().sendProof()).status).toBe(200)
  })

  it('still accepts unbound tokens, unless required is set', async () => {
    expect((await protect().send(`Bearer ${unboundToken}`)).status).toBe(200)
    const refused = await protect({ required: true }).send(`Bearer ${unboundToken}`)
    expect(refused.status).toBe(401)
    expect(challengeOf(refused)).toMatch(/^DPoP error="invalid_token"/)
  })

  it.each<[string, Partial<ProofParts>]>([
    ['another method', { claims: { htm: 'GET' } }],
    ['a method in another case', { claims: { htm: 'post' } }],
    ['another host', { claims: { htu: 'https://other.example/mcp' } }],
    ['another path', { claims: { htu: 'https://notes.example/other' } }],
    ['plain http', { claims: { htu: 'http://notes.example/mcp' } }],
    ['a host in escapes', { claims: { htu: 'https://notes%2Eexample/mcp' } }],
    ['a host in full-width letters', { claims: { htu: 'https://ｎotes.example/mcp' } }],
    ['a host behind an empty user', { claims: { htu: 'https://@notes.example/mcp' } }],
    ['a port with zeros before it', { claims: { htu: 'https://notes.example:0443/mcp' } }],
    ['no URL', { claims: { htu: 'mcp' } }],
    ['another token', { claims: { ath: 'AAAA' } }],
    ['no token', { claims: { ath: undefined } }],
    ['a time too long ago', { claims: { iat: seconds() - 301 } }],
    ['a time too far ahead', { claims: { iat: seconds() + 3_600 } }],
    ['no time', { claims: { iat: undefined } }],
    ['no id', { claims: { jti: undefined } }],
    ['an empty id', { claims: { jti: '' } }],
    ['an id that is no text', { claims: { jti: 7 } }],
    ['an id without end', { claims: { jti: 'x'.repeat(257) } }],
    ['another type', { header: { typ: 'at+jwt' } }],
  ])('F189 S-XA-01 refuses a proof for %s', async (_what, parts) => {
    const { sendProof, refusals } = protect()
    const answer = await sendProof(parts)
    expect(answer.status).toBe(401)
    expect(challengeOf(answer)).toMatch(/^DPoP error="invalid_dpop_proof", .*algs="ES256 /)
    expect(refusals).toHaveLength(1)
  })

  it.each([
    [-301, 401],
    [-300, 200],
    [300, 200],
    [301, 401],
  ])('S-XA-01 answers a proof from %i seconds away with %i', async (offset, status) => {
    vi.useFakeTimers({ toFake: ['Date'], now: seconds() * 1000 })
    expect((await protect().sendProof({ claims: { iat: seconds() + offset } })).status).toBe(status)
  })

  it('F189 rejects a proof with another key, with a private key inside, without a key and unsigned', async () => {
    const { send, sendProof } = protect()
    expect((await sendProof({}, otherKey)).status).toBe(401)
    const foreign = await signProof(otherKey, { token, header: { jwk: callerKey.jwk } as never })
    expect((await send(`DPoP ${token}`, foreign)).status).toBe(401)
    const keyless = await signProof(callerKey, { token, header: { jwk: undefined } as never })
    expect((await send(`DPoP ${token}`, keyless)).status).toBe(401)
    const leaking = await signProof(callerKey, { token, header: { jwk: { ...callerKey.jwk, d: 'AAAA' } } as never })
    expect((await send(`DPoP ${token}`, leaking)).status).toBe(401)
    for (const rubbish of ['', 'x', 'a.b.c', 'x'.repeat(9_000)]) {
      expect((await send(`DPoP ${token}`, rubbish)).status).toBe(401)
    }
  })

  it('F189 takes a proof once', async () => {
    const { send } = protect()
    const proof = await signProof(callerKey, { token })
    expect((await send(`DPoP ${token}`, proof)).status).toBe(200)
    expect((await send(`DPoP ${token}`, proof)).status).toBe(401)
  })

  it('asks a shared memory, where there is one', async () => {
    const redeem = vi.fn(async (_id: string, _expiresAt: number) => false)
    expect((await protect({ redeem }).sendProof({ claims: { jti: 'one' } })).status).toBe(401)
    const [id, expiresAt] = redeem.mock.calls[0] ?? []
    expect(id).toBe(`${callerKey.thumbprint} one`)
    expect(expiresAt).toBeGreaterThanOrEqual(seconds() + 299)
  })

  it('fails closed when the memory fails', async () => {
    const redeem = async () => Promise.reject(new Error('redis is down'))
    const answer = await protect({ redeem }).sendProof()
    expect(answer.status).toBe(503)
    expect(answer.body).not.toContain('redis')
  })

  it('needs exactly one proof', async () => {
    const { send } = protect()
    expect((await send(`DPoP ${token}`)).status).toBe(401)
    const proofs = [await signProof(callerKey, { token }), await signProof(callerKey, { token })]
    expect((await send(`DPoP ${token}`, proofs)).status).toBe(401)
  })

  it('rejects a bound token as a plain bearer token, proof or not', async () => {
    const { send } = protect()
    expect((await send(`Bearer ${token}`)).status).toBe(401)
    expect((await send(`Bearer ${token}`, await signProof(callerKey, { token }))).status).toBe(401)
  })

  it('rejects a bound token if dpop is off', async () => {
    expect((await protect(false).send(`Bearer ${token}`)).status).toBe(401)
    expect((await protect(false).sendProof()).status).toBe(401)
  })

  it('rejects a proof for a token that is bound to nothing, or to something else', async () => {
    const { send } = protect()
    const proof = await signProof(callerKey, { token: unboundToken })
    expect((await send(`DPoP ${unboundToken}`, proof)).status).toBe(401)
    for (const cnf of [{ 'x5t#S256': 'x' }, { jkt: callerKey.thumbprint, 'x5t#S256': 'x' }, {}, { jkt: 7 }]) {
      const odd = await signToken(issuerKey, { cnf })
      const answer = await send(`DPoP ${odd}`, await signProof(callerKey, { token: odd }))
      expect([answer.status, challengeOf(answer)?.includes('invalid_token')]).toEqual([401, true])
    }
  })

  it('S-XA-02 checks the audience of a bound token as of any other', async () => {
    const foreign = await signToken(issuerKey, { aud: 'https://other.example', cnf: { jkt: callerKey.thumbprint } })
    const answer = await protect().send(`DPoP ${foreign}`, await signProof(callerKey, { token: foreign }))
    expect(answer.status).toBe(401)
    expect(challengeOf(answer)).toContain('error="invalid_token"')
  })

  it('offers both schemes without a token, or DPoP alone', async () => {
    expect(challengeOf(await protect().send(''))).toMatch(/^Bearer resource_metadata="[^"]+", DPoP .*algs="/)
    expect(challengeOf(await protect({ required: true }).send(''))).toMatch(/^DPoP /)
  })

  it('takes the path of the request for its URL, as with more than one endpoint', async () => {
    const { send } = protect()
    const htu = 'https://notes.example/messages'
    const proof = await signProof(callerKey, { token, claims: { htu: `${htu}?a=1` } })
    expect((await send(`DPoP ${token}`, proof, { path: '/messages' })).status).toBe(200)
  })

  it('cannot be built with a shared secret as the algorithm, or with a short secret for nonces', () => {
    expect(() => protect({ algorithms: ['HS256' as never] })).toThrow(RangeError)
    expect(() => protect({ nonceSecret: 'short' })).toThrow(RangeError)
  })
})

describe('nonces', () => {
  it('are demanded with the nonce to use, and taken', async () => {
    const { sendProof } = protect({ nonceSecret: NONCE_SECRET })
    const demand = await sendProof()
    expect(demand.status).toBe(401)
    expect(challengeOf(demand)).toMatch(/^DPoP error="use_dpop_nonce"/)
    const nonce = demand.replyHeaders['dpop-nonce']
    const answer = await sendProof({ claims: { nonce } })
    expect(answer.status).toBe(200)
    expect(answer.replyHeaders['dpop-nonce']).toBe(nonce)
    expect((await sendProof({ claims: { nonce: 'made-up' } })).status).toBe(401)
  })

  it('are the same for servers that share the secret, and differ otherwise', async () => {
    const nonceOf = async (nonceSecret: string) =>
      (await protect({ nonceSecret }).sendProof()).replyHeaders['dpop-nonce']
    expect(await nonceOf(NONCE_SECRET)).toBe(await nonceOf(NONCE_SECRET))
    expect(await nonceOf(NONCE_SECRET)).not.toBe(await nonceOf(`${NONCE_SECRET}!`))
  })

  it('grow old', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 60_000) * 60_000 })
    const { sendProof } = protect({ nonceSecret: NONCE_SECRET })
    const nonce = (await sendProof()).replyHeaders['dpop-nonce']
    vi.advanceTimersByTime(60_000)
    expect((await sendProof({ claims: { nonce } })).status).toBe(200)
    vi.advanceTimersByTime(60_000)
    expect((await sendProof({ claims: { nonce } })).status).toBe(401)
  })
})

describe('createProofMemory', () => {
  it('forgets expired proofs, and rejects when it is full of others', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const redeem = createProofMemory(2)
    expect(await redeem('a', seconds() + 10)).toBe(true)
    expect(await redeem('b', seconds() + 100)).toBe(true)
    await expect(redeem('c', seconds() + 100)).rejects.toBeInstanceOf(LimitError)
    vi.advanceTimersByTime(11_000)
    expect(await redeem('c', seconds() + 100)).toBe(true)
    expect(await redeem('b', seconds() + 100)).toBe(false)
  })
})
