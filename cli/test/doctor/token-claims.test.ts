// What doctor reads from a token, whatever the token is.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeToken, findTokenProblem, readClaims } from '../../doctor/auth/token-claims.ts'

const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`
const EXPECTED = { resource: 'https://shop.example/mcp', issuers: ['https://id.example'] }
const problemOf = (claims: unknown) => findTokenProblem(readClaims(jwt(claims)), EXPECTED)

describe('a token that a server refuses', () => {
  it('is explained by its claims', () => {
    const fine = { aud: ['x', EXPECTED.resource], iss: 'https://id.example', exp: Date.now() / 1000 + 60 }
    expect(problemOf(fine)).toBeUndefined()
    expect(problemOf({ ...fine, exp: 1 })).toMatch(/expired 1970/)
    expect(problemOf({ ...fine, iss: 'https://evil.example' })).toMatch(
      /issued by https:\/\/evil\.example, and the server trusts/,
    )
    expect(problemOf({ ...fine, aud: 'https://other.example' })).toMatch(/is for https:\/\/other\.example/)
    expect(problemOf({ iss: 'https://id.example' })).toMatch(/no aud claim/)
    expect(describeToken(readClaims('opaque'))).toMatch(/opaque/)
  })

  it('never comes back in a text, and anything can be a token', () => {
    const token = fc.oneof(
      fc.string(),
      fc.jsonValue().map(jwt),
      fc.record({ aud: fc.jsonValue(), exp: fc.double() }).map(jwt),
    )
    fc.assert(
      fc.property(token, (text) => {
        const claims = readClaims(text)
        const said = `${describeToken(claims)} ${findTokenProblem(claims, EXPECTED) ?? ''}`
        expect(said).not.toContain('undefined')
        if (text.length > 20) expect(said).not.toContain(text)
      }),
    )
  })
})
