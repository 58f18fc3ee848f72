// The end of what is plain in a string of JSON, found as a walk finds it, wherever the bytes lie in their piece of memory.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PlainText } from '../../../../src/primitives/json/plain-text.ts'

function walk(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === 0x22 || byte === 0x5c || byte < 0x20) return at
  }
  return bytes.length
}

/** `length` plain bytes, with these at these places, which begin at an odd place of a larger piece. */
function bytesWith(length: number, offset: number, special: readonly (readonly [number, number])[]): Uint8Array {
  const whole = new Uint8Array(offset + length + 3).fill(0x22)
  const bytes = whole.subarray(offset, offset + length)
  bytes.fill(0x61)
  for (const [at, byte] of special) if (length > 0) bytes[at % length] = byte
  return bytes
}

const BYTES = [0x00, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80, 0x9f, 0xa2, 0xdc, 0xff]

it('each byte at each place of a word', () => {
  for (let byte = 0; byte < 256; byte++) {
    for (let place = 60; place < 68; place++) {
      const bytes = bytesWith(80, 1, [[place, byte]])
      expect(new PlainText(bytes).endFrom(0)).toBe(walk(bytes, 0))
    }
  }
})

it('any bytes, from any place', () => {
  const special = fc.array(fc.tuple(fc.nat(400), fc.constantFrom(...BYTES)), { maxLength: 6 })
  fc.assert(
    fc.property(fc.nat(300), fc.nat(8), special, fc.nat(300), (length, offset, marks, from) => {
      const bytes = bytesWith(length, offset, marks)
      const start = Math.min(from, length)
      const plain = new PlainText(bytes)
      expect(plain.endFrom(start)).toBe(walk(bytes, start))
      expect(plain.endFrom(0)).toBe(walk(bytes, 0))
    }),
    { seed: 8, numRuns: 5_000 },
  )
})
