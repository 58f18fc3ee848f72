// What can be read out of a WWW-Authenticate header, hostile ones included.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseChallenges, readAccessChallenge } from '../../../../../src/auth/client/login/challenge.ts'
import { cpuMilliseconds } from '../../../../support/cpu-time.ts'

describe('WWW-Authenticate', () => {
  it.each([
    ['Bearer', 'a scheme alone', {}],
    ['Bearer scope="a b", error=invalid_token', 'quoted and bare values', { scope: 'a b', error: 'invalid_token' }],
    ['Basic realm="x", Bearer scope="a"', 'another scheme before', { scope: 'a' }],
    ['Bearer realm="a, Basic b", scope="c"', 'a comma and a scheme in quotes', { realm: 'a, Basic b', scope: 'c' }],
    ['Bearer realm="say \\"hi\\"", scope="c"', 'escapes', { realm: 'say "hi"', scope: 'c' }],
    ['bearer SCOPE = "a"', 'upper case and blanks', { scope: 'a' }],
    ['Negotiate abc==, Bearer scope="a"', 'a token68 before', { scope: 'a' }],
    ['Bearer realm="x", Bearer scope="second"', 'two of them: the one that says something', { scope: 'second' }],
    ['Bearer scope="first", scope="second"', 'a parameter twice: the first', { scope: 'first' }],
    ['DPoP error="use_dpop_nonce"', 'the scheme of bound tokens', { error: 'use_dpop_nonce' }],
  ])('F181 %s (%s)', (header, _what, expected) => {
    expect(readAccessChallenge(header)?.parameters).toEqual(expected)
  })

  it.each([undefined, '', ',,,', 'Basic realm="x"', `Bearer scope="${'x'.repeat(70_000)}"`, '=', '"'])(
    'F181 finds nothing in %s',
    (header) => {
      expect(readAccessChallenge(header)).toBeUndefined()
    },
  )

  it('F181 an unterminated quote drops only its parameter', () => {
    expect(readAccessChallenge('Bearer error="invalid_token", scope="open')?.parameters).toEqual({
      error: 'invalid_token',
    })
  })

  it('F181 never throws, and reads back what was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        parseChallenges(text)
        const quoted = text.replace(/["\\]/g, '\\$&')
        expect(readAccessChallenge(`Bearer scope="${quoted}"`)?.scope).toBe(text)
      }),
      { seed: 181, numRuns: 300 },
    )
  })

  it('F181 takes a time that grows with the length and not with its square', () => {
    const hostile = 'Bearer a="\\'.repeat(1_400)
    const ms = cpuMilliseconds(() => {
      for (let count = 0; count < 20; count++) parseChallenges(hostile)
    })
    expect(ms).toBeLessThan(2_000)
  })
})
