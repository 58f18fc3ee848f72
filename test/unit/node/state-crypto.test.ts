import { describe, expect, it } from 'vitest'
import { nodeStateCrypto } from '../../../src/node/state-crypto.ts'
import { webStateCrypto } from '../../../src/primitives/sealing/web-state-crypto.ts'

const secret = new Uint8Array(32).fill(7)
const nonce = new Uint8Array(12).fill(1)
const additional = new TextEncoder().encode('v1.')
const text = 'grün 🌍'
const both = [nodeStateCrypto, webStateCrypto]

describe('the cryptography of states, by Node and by WebCrypto', () => {
  it('makes the same keys, digests and sealed texts', async () => {
    const [own, web] = [await nodeStateCrypto.deriveKey(secret), await webStateCrypto.deriveKey(secret)]
    expect([...own.id]).toEqual([...web.id])
    const sealed = await own.seal(text, nonce, additional)
    expect(sealed).toBe(await web.seal(text, nonce, additional))
    expect(await nodeStateCrypto.digest(text)).toBe(await webStateCrypto.digest(text))
    const bytes = nodeStateCrypto.decode(sealed) ?? nonce
    expect([...bytes.slice(0, 16)]).toEqual([...own.id, ...nonce])
    expect(await own.open(bytes, additional)).toBe(text)
    expect(await web.open(bytes, additional)).toBe(text)
  })

  it.each(both)('opens nothing that was altered or cut', async ({ deriveKey, decode }) => {
    const key = await deriveKey(secret)
    const sealed = decode(await key.seal(text, nonce, additional)) ?? nonce
    expect(await key.open(sealed, additional)).toBe(text)
    // The id of the key is for whoever looks for the key.
    for (const place of [...sealed.keys()].slice(key.id.length)) {
      const altered = sealed.slice()
      altered[place] = (altered[place] ?? 0) ^ 1
      expect(await key.open(altered, additional)).toBeUndefined()
    }
    expect(await key.open(sealed, new TextEncoder().encode('v2.'))).toBeUndefined()
    for (const length of [sealed.length - 1, 36, 20, 3, 0]) {
      expect(await key.open(sealed.slice(0, length), additional)).toBeUndefined()
    }
    const other = await deriveKey(new Uint8Array(32).fill(8))
    expect(await other.open(sealed, additional)).toBeUndefined()
  })

  it.each(both)('decodes canonical Base64url only', ({ decode }) => {
    expect([...(decode('_-8') ?? [])]).toEqual([0xff, 0xef])
    for (const other of ['_-8=', '_-9', '/+8', ' _-8', '_-8\n', '_-8_-', '_\u20ac8', '.'])
      expect(decode(other)).toBeUndefined()
  })
})
