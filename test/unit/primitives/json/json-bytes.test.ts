import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exceedsBytes } from '../../../../src/primitives/json/json-bytes.ts'

describe('exceedsBytes', () => {
  const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

  it('says what making the JSON would say', () => {
    const values = fc.anything({ withUnicodeString: true } as fc.ObjectConstraints).filter((value) => {
      return JSON.stringify(value) !== undefined
    })
    fc.assert(
      fc.property(values, fc.integer({ min: -3, max: 3 }), (value, off) => {
        const bytes = bytesOf(value)
        expect(exceedsBytes(value, bytes + off)).toBe(off < 0)
        expect(exceedsBytes(value, Math.ceil(bytes / 2))).toBe(bytes > Math.ceil(bytes / 2))
        expect(exceedsBytes(value, bytes * 8)).toBe(false)
      }),
      { seed: 11, numRuns: 200 },
    )
  })

  it.each([
    ['controls', '\u0000'.repeat(10)],
    ['lone surrogates', '\ud800'.repeat(10)],
    ['long characters', '€'.repeat(10)],
    ['long numbers', [-1.2345678901234567e-308, 1e21]],
    ['what is left out', { a: undefined, b: () => 1, c: [undefined, () => 1] }],
    ['what makes its own JSON', { at: new Date(0) }],
  ])('counts %s exactly', (_what, value) => {
    const bytes = bytesOf(value)
    expect(exceedsBytes(value, bytes)).toBe(false)
    expect(exceedsBytes(value, bytes - 1)).toBe(true)
  })

  it('throws for what has no JSON', () => {
    const ring: Record<string, unknown> = {}
    ring['ring'] = ring
    expect(() => exceedsBytes(ring, 1_000_000)).toThrow(TypeError)
    expect(() => exceedsBytes({ n: 1n }, 1_000_000)).toThrow(TypeError)
  })
})
