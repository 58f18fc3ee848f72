// Times and sizes of tokens and of what the authorization server says, exactly at the edge.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { requireBearer } from '../../../../src/auth/server/bearer.ts'
import { createNonces, createProofMemory } from '../../../../src/auth/server/dpop.ts'
import { createIssuerFetch } from '../../../../src/auth/server/issuer-fetch.ts'
import { introspectionVerifier } from '../../../../src/auth/server/verify-introspection.ts'
import { RecentTokens } from '../../../../src/auth/server/verify-jwt.ts'
import { FakeExchange } from '../../../support/fake-exchange.ts'
import { claimsWith, ISSUER, RESOURCE } from '../../../support/token-maker.ts'

const NOW = 1_800_000_000

afterEach(() => {
  vi.useRealTimers()
})

const stopTime = () => vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 })

describe('a token', () => {
  it.each([
    [-1, 401],
    [0, 401],
    [1, 200],
  ])('that expires %i s from now is answered %i', async (seconds, status) => {
    stopTime()
    const handler = requireBearer((exchange) => exchange.reply(200), {
      resource: RESOURCE,
      issuer: ISSUER,
      verifier: async () => ({
        clientId: 'c',
        scopes: [],
        resource: RESOURCE,
        issuer: ISSUER,
        expiresAt: NOW + seconds,
      }),
    })
    const exchange = new FakeExchange({ headers: { authorization: 'Bearer t' } })
    await handler(exchange)
    expect(exchange.status).toBe(status)
  })

  it.each([
    [0, true],
    [1, false],
  ])('that is valid %i s from now on: introspection takes it is %s', async (seconds, isTaken) => {
    stopTime()
    const verifier = introspectionVerifier({
      issuer: ISSUER,
      endpoint: `${ISSUER}/introspect`,
      clientId: 'notes',
      clientSecret: 'secret',
      fetch: async () => Response.json({ active: true, ...claimsWith({ nbf: NOW + seconds }) }),
    })
    const context = {
      resource: RESOURCE,
      audiences: [RESOURCE],
      issuers: [ISSUER],
      signal: new AbortController().signal,
    }
    const outcome = await verifier.verify('opaque', context).then(
      () => true,
      () => false,
    )
    expect(outcome).toBe(isTaken)
  })

  it('is remembered among the last thousand', () => {
    const tokens = new RecentTokens<number>(1_000)
    for (let n = 0; n < 1_001; n += 1) tokens.add(`t${n}`, n, Number.MAX_SAFE_INTEGER)
    expect([tokens.get('t0'), tokens.get('t1'), tokens.get('t1000')]).toEqual([undefined, 1, 1_000])
  })
})

describe('the memory of proofs', () => {
  it('is full at its limit, and forgets what has expired and nothing that is still good', async () => {
    stopTime()
    const isNew = createProofMemory(2)
    expect(await isNew('a', NOW)).toBe(true)
    expect(await isNew('b', NOW + 100)).toBe(true)
    // Still good in this very second, so that it must not be forgotten to make room.
    await expect(isNew('c', NOW + 100)).rejects.toThrow('remembered DPoP proofs')
    expect(await isNew('a', NOW)).toBe(false)
    vi.setSystemTime((NOW + 2) * 1000)
    expect(await isNew('c', NOW + 100)).toBe(true)
    expect(await isNew('b', NOW + 100)).toBe(false)
  })
})

describe('the memory of proofs of one key', () => {
  it('is half of all at most, so that other keys are still taken', async () => {
    stopTime()
    const isNew = createProofMemory(4)
    expect(await isNew('one 1', NOW)).toBe(true)
    expect(await isNew('one 2', NOW + 100)).toBe(true)
    await expect(isNew('one 3', NOW + 100)).rejects.toThrow('remembered DPoP proofs is at most 2')
    expect(await isNew('other 1', NOW + 100)).toBe(true)
    vi.setSystemTime((NOW + 2) * 1000)
    expect(await isNew('one 3', NOW + 100)).toBe(true)
    await expect(isNew('one 4', NOW + 100)).rejects.toThrow('remembered DPoP proofs')
    expect(await isNew('other 2', NOW + 100)).toBe(true)
  })
})

describe('a secret for nonces', () => {
  it('has at least 32 bytes', () => {
    expect(() => createNonces('x'.repeat(31))).toThrow(RangeError)
    expect(() => createNonces('x'.repeat(32))).not.toThrow()
    expect(() => createNonces(new Uint8Array(31))).toThrow(RangeError)
    expect(() => createNonces(new Uint8Array(32))).not.toThrow()
    // Counted in bytes, not in characters.
    expect(() => createNonces('é'.repeat(16))).not.toThrow()
  })
})

describe('an answer of the authorization server', () => {
  const MAX = 1_048_576

  it.each([
    [MAX, true],
    [MAX + 1, false],
  ])('of %i bytes is read: %s', async (bytes, isRead) => {
    const fetch = createIssuerFetch({ timeoutMs: 60_000, fetch: async () => new Response(new Uint8Array(bytes)) })
    const outcome = await fetch('https://id.example/keys', {}).then(
      async (response) => (await response.arrayBuffer()).byteLength === bytes,
      () => false,
    )
    expect(outcome).toBe(isRead)
  })
})
