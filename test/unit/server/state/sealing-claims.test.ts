import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bindingOf, canonicalJSON, createClaims, findFault, parseClaims } from '../../../../src/server/state/sealing.ts'

const call = { method: 'resources/read', params: { uri: 'x://y' } }

async function makeClaims() {
  const binding = (await bindingOf(call, 'hotel'))!
  return { binding, claims: await createClaims(binding, 'alice', 's', { now: 1000, ttlMs: 10 }) }
}

describe('findFault', () => {
  it('finds none in what was just made', async () => {
    const { binding, claims } = await makeClaims()
    expect(await findFault(claims, binding, 'alice', 1000)).toBeUndefined()
  })

  it.each(['issuedAt', 'expiresAt'] as const)('fails where %s is not a number', async (member) => {
    const { binding, claims } = await makeClaims()
    expect(await findFault({ ...claims, [member]: Number.NaN }, binding, 'alice', 1000)).toBeDefined()
  })

  it('knows one version only', async () => {
    const { binding, claims } = await makeClaims()
    expect(await findFault({ ...claims, version: 2 as 1 }, binding, 'alice', 1000)).toBe('version')
  })

  it('salts the caller, so that two states do not show that they have the same one', async () => {
    const [one, two] = [await makeClaims(), await makeClaims()]
    expect(one.claims.principal).not.toBe(two.claims.principal)
    expect(one.claims.principal).not.toContain('alice')
  })
})

describe('parseClaims', () => {
  it.each(['', '{', 'null', '[]', '{}', '{"state":1,"id":"x","issuedAt":1,"expiresAt":1}', '{"state":"s","id":"x"}'])(
    'finds none in %s',
    (text) => {
      expect(parseClaims(text)).toBeUndefined()
    },
  )

  it('finds those that were made', async () => {
    const { claims } = await makeClaims()
    expect(parseClaims(JSON.stringify(claims))).toEqual(claims)
  })
})

describe('canonicalJSON', () => {
  it('does not depend on the order of members', () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const reversed = Object.fromEntries(Object.entries(object).reverse())
      expect(canonicalJSON([reversed])).toBe(canonicalJSON([object]))
      expect(JSON.parse(canonicalJSON(object))).toEqual(JSON.parse(JSON.stringify(object)))
    })
    fc.assert(property, { seed: 3, numRuns: 200 })
  })

  it('tells apart what differs', () => {
    const texts = ['{"a":1}', '{"a":"1"}', '{"a":[1]}', '{"__proto__":1}', '{}', '[]', 'null', '"\\ud800"', '"\\ud801"']
    expect(new Set(texts.map((text) => canonicalJSON(JSON.parse(text)))).size).toBe(texts.length)
  })
})
