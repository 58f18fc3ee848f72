// Hosts and origins, as strictly as guards need them.
import { describe, expect, it } from 'vitest'
import { parseAuthority, parseOrigin } from '../../../../../src/server/http/guards/host-origin.ts'

describe('parseAuthority', () => {
  it('takes 300 characters, and not one more', () => {
    const name = 'x'.repeat(295)
    expect(parseAuthority(`${name}:3000`)).toEqual({ name, port: '3000' })
    expect(parseAuthority(`${name}x:3000`)).toBeUndefined()
    expect(parseAuthority('x'.repeat(300))).toBeDefined()
    expect(parseAuthority('x'.repeat(301))).toBeUndefined()
  })

  it('knows letters of ASCII only, however they are put in lower case', () => {
    expect(parseAuthority('KIOSK.example')).toEqual({ name: 'kiosk.example', port: '' })
    for (const text of [
      '\u212Aiosk.example',
      'kio\u017Fk.example',
      'k\u0130osk.example',
      'ｋiosk.example',
      'x%2Eexample',
    ]) {
      expect(parseAuthority(text), text).toBeUndefined()
      expect(parseOrigin(`https://${text}`), text).toBeUndefined()
    }
  })

  it('keeps a port as it is written, so that no other spelling is equal to it', () => {
    expect(parseAuthority('x.example:0443')?.port).toBe('0443')
    expect(parseOrigin('https://x.example:00443')?.port).toBe('00443')
    expect(parseAuthority('x.example:000443')).toBeUndefined()
  })
})
