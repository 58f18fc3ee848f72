import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNeedle, findFirst, findLast } from '../../../../src/primitives/uri-template/sections.ts'

// Two letters make texts that repeat themselves, which is where a search goes wrong.
const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength })

describe('search', () => {
  it('finds what the built-in searches find', () => {
    fc.assert(
      fc.property(letters(1, 8), letters(0, 40), fc.nat(10), fc.nat(10), (text, within, skip, drop) => {
        const start = Math.min(skip, within.length)
        const end = Math.max(start, within.length - drop)
        const part = within.slice(start, end)
        const offset = (index: number) => (index === -1 ? -1 : index + start)
        const needle = createNeedle(text)
        expect(findFirst(needle, within, start, end)).toBe(offset(part.indexOf(text)))
        expect(findLast(needle, within, start, end)).toBe(offset(part.lastIndexOf(text)))
      }),
      { seed: 1977, numRuns: 2000 },
    )
  })

  it('finds a needle behind a false start that overlaps it', () => {
    expect(findFirst(createNeedle('aab'), 'aaab', 0, 4)).toBe(1)
    expect(findFirst(createNeedle('abaabab'), 'abaabaabab', 0, 10)).toBe(3)
    expect(findLast(createNeedle('baa'), 'baaaa', 0, 5)).toBe(0)
    expect(findLast(createNeedle('baa'), 'xbaaa', 0, 5)).toBe(1)
  })
})
