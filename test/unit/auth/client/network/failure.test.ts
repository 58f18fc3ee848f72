// What of a peer's words gets into an error: little, on one line, and no secret that it echoes.
import { describe, expect, it } from 'vitest'
import { quotePeer } from '../../../../../src/auth/client/network/failure.ts'

describe('quoting a peer', () => {
  it.each([
    ['short', 'canary'],
    ['longer than all that is quoted', 'canary'.repeat(500)],
  ])('R49 I6 masks a secret that is %s', (_length, secret) => {
    expect(quotePeer(`the assertion ${secret} is not known`, [secret])).toBe('the assertion *** is not known')
  })

  it('R56 keeps to one short line', () => {
    expect(quotePeer(`a\r\nb\u202e${'x'.repeat(1_000)}`)).toBe(`a  b ${'x'.repeat(195)}`)
  })
})
