// Caps on what a caller sends along: taken exactly at the limit, refused one beyond.
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { requireBearer } from '../../../../src/auth/server/bearer.ts'
import { jwtVerifier, RecentTokens } from '../../../../src/auth/server/verify-jwt.ts'
import { FakeExchange } from '../../../support/fake-exchange.ts'
import {
  ISSUER,
  keySet,
  makeKey,
  RESOURCE,
  type SigningKey,
  signProof,
  signToken,
} from '../../../support/token-maker.ts'

const MAX_TOKEN = 16_384
const MAX_PROOF = 8_192
const MAX_PROOF_ID = 256
const MAX_REMEMBERED_TOKEN = 4_096

let issuerKey: SigningKey
let callerKey: SigningKey
let token: string
beforeAll(async () => {
  issuerKey = await makeKey()
  callerKey = await makeKey()
  token = await signToken(issuerKey, { cnf: { jkt: callerKey.thumbprint } })
})

/** A proof of exactly this length: Base64 has no text of some lengths, so that the header gives way too. */
async function proofOfLength(length: number): Promise<string> {
  for (const kid of ['', 'k', 'kk', 'kkk']) {
    const bare = await signProof(callerKey, { token, claims: { pad: '' }, header: { kid } })
    const guess = Math.floor(((length - bare.length) * 3) / 4)
    for (let pad = guess - 4; pad <= guess + 4; pad += 1) {
      const proof = await signProof(callerKey, { token, claims: { pad: 'x'.repeat(pad) }, header: { kid } })
      if (proof.length === length) return proof
    }
  }
  throw new Error(`No proof has ${length} characters`)
}

async function send(authorization: string, dpop?: string) {
  const reasons: string[] = []
  const verify = vi.fn(async () => ({ clientId: 'c', scopes: [], resource: RESOURCE, issuer: ISSUER }))
  const handler = requireBearer((exchange) => exchange.reply(200), {
    resource: RESOURCE,
    issuer: ISSUER,
    verifier: dpop === undefined ? verify : jwtVerifier({ issuer: ISSUER, jwks: keySet(issuerKey) }),
    dpop: true,
    onRefused: ({ reason }) => reasons.push(reason),
  })
  const exchange = new FakeExchange({ headers: { authorization, dpop } })
  await handler(exchange)
  return { status: exchange.status, reasons, verify }
}

describe('a cap', () => {
  it.each([
    [MAX_TOKEN - 1, 200],
    [MAX_TOKEN, 200],
    [MAX_TOKEN + 1, 401],
    [MAX_TOKEN * 100, 401],
  ])('on tokens: %i characters are answered %i, and nobody verifies one that is too long', async (length, status) => {
    const outcome = await send(`Bearer ${'t'.repeat(length)}`)
    expect(outcome.status).toBe(status)
    expect(outcome.verify).toHaveBeenCalledTimes(status === 200 ? 1 : 0)
    expect(outcome.reasons).toEqual(status === 200 ? [] : [expect.stringContaining('too long')])
  })

  it.each([
    [MAX_PROOF - 1, 200],
    [MAX_PROOF, 200],
    [MAX_PROOF + 1, 401],
  ])('on DPoP proofs: %i characters are answered %i', async (length, status) => {
    const outcome = await send(`DPoP ${token}`, await proofOfLength(length))
    expect(outcome.status).toBe(status)
    expect(outcome.reasons).toEqual(status === 200 ? [] : [expect.stringContaining('too long')])
  })

  it.each([
    [MAX_PROOF_ID, 200],
    [MAX_PROOF_ID + 1, 401],
  ])('on the ids of proofs: %i characters are answered %i', async (length, status) => {
    const proof = await signProof(callerKey, { token, claims: { jti: 'j'.repeat(length) } })
    expect((await send(`DPoP ${token}`, proof)).status).toBe(status)
  })

  it('on remembered tokens: longer ones are verified each time', () => {
    const tokens = new RecentTokens<string>(1_000)
    for (const length of [MAX_REMEMBERED_TOKEN, MAX_REMEMBERED_TOKEN + 1]) {
      tokens.add('t'.repeat(length), 'known', Number.MAX_SAFE_INTEGER)
    }
    expect(tokens.get('t'.repeat(MAX_REMEMBERED_TOKEN))).toBe('known')
    expect(tokens.get('t'.repeat(MAX_REMEMBERED_TOKEN + 1))).toBeUndefined()
  })
})
