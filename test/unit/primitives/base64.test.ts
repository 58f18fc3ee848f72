import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeBase64,
  decodeBase64Text,
  decodeBase64Url,
  decodeBase64UrlText,
  encodeBase64,
  encodeBase64Text,
  encodeBase64Url,
  encodeBase64UrlText,
  isBase64,
} from '../../../src/primitives/base64.ts'

const runs = { seed: 4648, numRuns: 300 }
const bytes = fc.uint8Array({ maxLength: 200 })
const nodeText = (data: Uint8Array, encoding: 'base64' | 'base64url') => Buffer.from(data).toString(encoding)

describe('standard Base64', () => {
  it.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('the vector of RFC 4648 for %j', (plain, coded) => {
    expect(encodeBase64Text(plain)).toBe(coded)
    expect(decodeBase64Text(coded)).toBe(plain)
  })

  it('agrees with an independent encoder and takes its output back', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        expect(encodeBase64(data)).toBe(nodeText(data, 'base64'))
        expect(decodeBase64(nodeText(data, 'base64'))).toEqual(data)
      }),
      runs,
    )
  })

  it('knows what it would take back without making the bytes', () => {
    const nearly = fc.string({ unit: fc.constantFrom('A', 'Q', 'g', '=', '/', '-', 'é', ' '), maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(nearly, bytes.map(encodeBase64)), (text) => {
        expect(isBase64(text)).toBe(decodeBase64(text) !== undefined)
      }),
      { ...runs, numRuns: 2000 },
    )
  })

  it('reads every byte value', () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index)
    expect(decodeBase64(encodeBase64(all))).toEqual(all)
  })

  it.each([
    ['missing padding', 'Zg'],
    ['half of the padding', 'Zg='],
    ['too much padding', 'Zm9v===='],
    ['padding alone', '===='],
    ['a single character', 'Z'],
    ['padding inside', 'Zg==Zg=='],
    ['stray bits before two paddings', 'Zh=='],
    ['stray bits before one padding', 'Zm9='],
    ['a space', 'Zm 9'],
    ['a trailing newline', 'Zm9vZm8\n'],
    ['the URL alphabet', '-_-_'],
    ['a character beyond ASCII', 'Zm9é'],
    ['a character whose low byte is in the alphabet', 'Zm9\u0141'],
    ['exclamation marks', 'SGV!!!=='],
  ])('refuses %s', (_what, text) => {
    expect(decodeBase64(text)).toBeUndefined()
    expect(isBase64(text)).toBe(false)
  })

  it('accepts a text only if it would write the same text', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'AQgZz09+/=-_ \n'), maxLength: 12 })
    fc.assert(
      fc.property(nearly, (text) => {
        const decoded = decodeBase64(text)
        const isCanonical = Buffer.from(text, 'base64').toString('base64') === text
        expect(decoded !== undefined).toBe(isCanonical)
        if (decoded !== undefined) expect(encodeBase64(decoded)).toBe(text)
      }),
      { seed: 4648, numRuns: 2000 },
    )
  })
})

describe('Base64url', () => {
  it('agrees with an independent encoder and takes its output back', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        expect(encodeBase64Url(data)).toBe(nodeText(data, 'base64url'))
        expect(decodeBase64Url(nodeText(data, 'base64url'))).toEqual(data)
      }),
      runs,
    )
  })

  it.each(['Zg==', 'Zm8=', '+/+/', 'Z', 'Zh', 'Zm9', 'Zm9v\n', 'Zm9v='])('refuses %j', (text) => {
    expect(decodeBase64Url(text)).toBeUndefined()
  })
})

describe('text', () => {
  it('survives the round trip, byte order marks and all planes included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeBase64Text(encodeBase64Text(text))).toBe(text)
        expect(decodeBase64UrlText(encodeBase64UrlText(text))).toBe(text)
      }),
      runs,
    )
    expect(decodeBase64Text(encodeBase64Text('\uFEFFmark'))).toBe('\uFEFFmark')
  })

  it.each([
    ['a byte that never occurs', [0xff]],
    ['a sequence cut short', [0xe4, 0xb8]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('refuses bytes that are not UTF-8: %s', (_what, data) => {
    expect(decodeBase64Text(encodeBase64(Uint8Array.from(data)))).toBeUndefined()
    expect(decodeBase64UrlText(encodeBase64Url(Uint8Array.from(data)))).toBeUndefined()
  })

  it('F062 a lone surrogate becomes U+FFFD', () => {
    expect(decodeBase64Text(encodeBase64Text('a\uD800b'))).toBe('a\uFFFDb')
    expect(decodeBase64UrlText(encodeBase64UrlText('\uDC00'))).toBe('\uFFFD')
  })
})
