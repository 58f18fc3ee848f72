import { describe, expect, it } from 'vitest'
import { nodeStateCrypto } from '../../../src/node/state-crypto.ts'
import { webStateCrypto } from '../../../src/primitives/sealing/web-state-crypto.ts'

const secret = new Uint8Array(32).fill(7)
const nonce = new Uint8Array(12).fill(1)
const additional = new TextEncoder().encode('v1.')
const text = new TextEncoder().encode('grün 🌍')

describe('the cryptography of states, by Node and by WebCrypto', () => {
  it('makes the same keys, digests and sealed bytes', async () => {
    const [own, web] = [await nodeStateCrypto.deriveKey(secret), await webStateCrypto.deriveKey(secret)]
    expect([...own.id]).toEqual([...web.id])
    const sealed = new Uint8Array(await own.encrypt(nonce, additional, text))
    expect([...sealed]).toEqual([...(await web.encrypt(nonce, additional, text))])
    expect([...(await nodeStateCrypto.digest(text))]).toEqual([...(await webStateCrypto.digest(text))])
    expect([...((await own.decrypt(nonce, additional, sealed)) ?? [])]).toEqual([...text])
    expect([...((await web.decrypt(nonce, additional, sealed)) ?? [])]).toEqual([...text])
  })

  it.each([nodeStateCrypto, webStateCrypto])('opens nothing that was altered or cut', async ({ deriveKey }) => {
    const key = await deriveKey(secret)
    const sealed = new Uint8Array(await key.encrypt(nonce, additional, text))
    for (const place of sealed.keys()) {
      const altered = sealed.slice()
      altered[place] = (altered[place] ?? 0) ^ 1
      expect(await key.decrypt(nonce, additional, altered)).toBeUndefined()
    }
    expect(await key.decrypt(nonce, new TextEncoder().encode('v2.'), sealed)).toBeUndefined()
    expect(await key.decrypt(nonce, additional, sealed.slice(0, 20))).toBeUndefined()
    expect(await key.decrypt(nonce, additional, sealed.slice(0, 3))).toBeUndefined()
    const other = await deriveKey(new Uint8Array(32).fill(8))
    expect(await other.decrypt(nonce, additional, sealed)).toBeUndefined()
  })
})
