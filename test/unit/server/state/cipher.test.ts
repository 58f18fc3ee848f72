import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createCipher } from '../../../../src/server/state/cipher.ts'

const SECRET = 'a secret with more than thirty-two bytes'

const derive = (purpose: string, length: number) =>
  Buffer.from(hkdfSync('sha256', SECRET, '', `mcpwire requestState v1 ${purpose}`, length))
const keyId = derive('key id', 4)
const key = derive('key', 32)

/** A token made without the code under test. */
function makeToken(text: string | Uint8Array, authenticated: Buffer): string {
  const nonce = Buffer.alloc(12, 9)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(authenticated)
  const sealed = [cipher.update(text), cipher.final(), cipher.getAuthTag()]
  return `v1.${Buffer.concat([keyId, nonce, ...sealed]).toString('base64url')}`
}

describe('createCipher', () => {
  it('writes key id, nonce, ciphertext and tag, with version and key id authenticated', async () => {
    const token = await createCipher([SECRET]).encrypt('grüezi')
    const bytes = Buffer.from(token.slice('v1.'.length), 'base64url')
    expect(bytes.subarray(0, 4)).toEqual(keyId)
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(4, 16))
    decipher.setAAD(Buffer.concat([Buffer.from('v1.'), keyId])).setAuthTag(bytes.subarray(-16))
    const text = Buffer.concat([decipher.update(bytes.subarray(16, -16)), decipher.final()])
    expect(text.toString()).toBe('grüezi')
  })

  it('opens what another program with the same secret has made', async () => {
    const token = makeToken('hello', Buffer.concat([Buffer.from('v1.'), keyId]))
    expect(await createCipher([SECRET]).decrypt(token)).toEqual({ ok: true, text: 'hello' })
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['the version alone', Buffer.from('v1.')],
    ['another version', Buffer.concat([Buffer.from('v2.'), keyId])],
  ])('refuses a token that authenticates %s', async (_what, authenticated) => {
    const token = makeToken('hello', authenticated)
    expect(await createCipher([SECRET]).decrypt(token)).toEqual({ ok: false, fault: 'altered' })
  })

  it('refuses what is no text', async () => {
    const token = makeToken(Uint8Array.of(0xff, 0xfe), Buffer.concat([Buffer.from('v1.'), keyId]))
    expect(await createCipher([SECRET]).decrypt(token)).toEqual({ ok: false, fault: 'altered' })
  })
})
