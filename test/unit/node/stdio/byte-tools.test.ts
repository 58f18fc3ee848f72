import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NODE_BYTES } from '../../../../src/node/stdio/byte-tools.ts'
import { WEB_BYTES } from '../../../../src/primitives/byte-tools.ts'

const text = fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'grapheme' }))
const bytes = fc.oneof(
  text.map((some) => new TextEncoder().encode(some)),
  fc.uint8Array(),
)
const mark = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)

function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return (error as Error).constructor
  }
}

describe("Node's way with bytes", () => {
  it('gives as many as are asked for', () => {
    for (const tools of [NODE_BYTES, WEB_BYTES]) expect(tools.allocate(100_000)).toHaveLength(100_000)
  })

  it('reads the same text, and refuses the same bytes', () => {
    fc.assert(
      fc.property(bytes, (some) => {
        expect(outcome(() => NODE_BYTES.readUTF8(some))).toBe(outcome(() => WEB_BYTES.readUTF8(some)))
      }),
      { seed: 9, numRuns: 500, examples: [[mark], [Uint8Array.of(0xff)], [new Uint8Array(0)]] },
    )
  })

  it('reads ASCII from a part of the bytes, a buffer or not, and nothing else', () => {
    fc.assert(
      fc.property(bytes, fc.nat(20), fc.nat(20), (some, a, b) => {
        const [start, end] = [Math.min(a, b, some.length), Math.min(Math.max(a, b), some.length)]
        const isASCII = some.every((byte) => byte < 0x80)
        const expected = isASCII ? String.fromCharCode(...some.subarray(start, end)) : undefined
        for (const form of [some, Buffer.from(some)]) expect(NODE_BYTES.readASCII(form, start, end)).toBe(expected)
        if (isASCII) expect(WEB_BYTES.readASCII(some, start, end)).toBe(expected)
      }),
      { seed: 7, numRuns: 500 },
    )
    expect(WEB_BYTES.readASCII(mark, 0, 4)).toBeUndefined()
    expect(WEB_BYTES.readASCII(Uint8Array.of(0xff), 0, 1)).toBeUndefined()
  })
})
